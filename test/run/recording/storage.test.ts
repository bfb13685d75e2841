import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FileSystem, nodeFileSystem } from '../../../src/run-directory/file-system.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { pipeline, resumePipeline } from '../harness.js';
import { differenceOf, recordScenario, replayScenario, setupOf } from './play.js';
import { type Scenario, scriptedBackend } from './scenarios.js';

/** A disk on which one line of the recording finds room for its first half only. */
function fullDisk(isFull: (line: string) => boolean): FileSystem {
  const recordings = new Set<number>();
  let failures = 0;
  return {
    ...nodeFileSystem,
    open(file, flags) {
      const descriptor = nodeFileSystem.open(file, flags);
      if (path.basename(file) === 'recording.jsonl') recordings.add(descriptor);
      return descriptor;
    },
    write(descriptor, bytes, start) {
      if (!recordings.has(descriptor) || failures === 2)
        return nodeFileSystem.write(descriptor, bytes, start);
      if (failures === 1) {
        failures = 2;
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      }
      if (!isFull(Buffer.from(bytes).toString())) return nodeFileSystem.write(descriptor, bytes, start);
      failures = 1;
      return nodeFileSystem.write(descriptor, bytes.subarray(0, Math.floor(bytes.length / 2)), 0);
    },
  };
}

describe('a recording that cannot be written', () => {
  const scenarios: readonly Scenario[] = [
    {
      name: 'an answer',
      dot: pipeline('a; b [max_retries=3]; c', 'start -> a -> b -> c -> exit'),
      path: 'a b c',
      status: 'success',
    },
    {
      name: 'an attempt whose time was up',
      dot: pipeline('a; b [timeout=90s, max_retries=1]; c', 'start -> a -> b -> c -> exit'),
      answers: { 'b#1.1': 'until stopped' },
      path: 'a b c',
      status: 'success',
    },
    {
      name: 'an answer in a branch, while the others are told to stop',
      dot: pipeline(
        'fan [shape=component]; a; b; c; meet [shape=tripleoctagon]',
        'start -> fan; fan -> a -> meet; fan -> b -> meet; fan -> c -> meet; meet -> exit',
      ),
      takes: { 'a#1.1': 100, 'b#1.1': 10, 'c#1.1': 100 },
      path: 'fan a b c meet',
      status: 'success',
    },
  ];

  test.each(scenarios)(
    'stops the run, which continues whole when there is room again: $name',
    async (scenario) => {
      const home = temporaryDirectory();
      const recording = recordScenario(
        scenario,
        { fileSystem: fullDisk((line) => line.includes('"node_id":"b"')) },
        home,
      );
      await expect(recording).rejects.toMatchObject({ code: 'storage' });
      const directory = path.join(home, 'run');
      const { result } = await resumePipeline(directory, {
        ...setupOf(scenario, home),
        backend: scriptedBackend(scenario),
      });
      expect(result.status).toBe('success');
      for (const line of readFileSync(path.join(directory, 'recording.jsonl'), 'utf8').trimEnd().split('\n'))
        expect(() => JSON.parse(line)).not.toThrow();
      const replayed = await replayScenario(scenario, directory);
      expect(replayed.result.status).toBe('success');
      expect(differenceOf(directory, replayed.directory)).toBeUndefined();
    },
  );
});
