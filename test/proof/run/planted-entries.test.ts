import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunError } from '../../../src/run-directory/run-error.js';
import { readArtifact } from '../../../src/view/run-artifacts.js';
import { overviewOf } from '../../../src/view/run-overview.js';
import { summarizeRun } from '../../../src/view/summarize-run.js';
import { eventsOf, pipeline, resumePipeline, runOnDisk } from '../../run/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Branches, a model, a large value, and a tool that fails as long as there is no file `flag`. */
const dot = pipeline(
  'ask; fork [shape=component]; one; two; join [shape=tripleoctagon]',
  'work [shape=parallelogram, prompt="", tool_command="echo out; echo err >&2; test -e flag"]',
  'start -> ask -> fork; fork -> one -> join; fork -> two -> join; join -> work -> exit',
);

/** Written by a run that continues, besides what is there already. */
const later = [
  'artifacts/index.jsonl',
  'open-questions',
  'sessions',
  'request-pause.json',
  'request-cancel.json',
  'work/visit-1',
  'work/visit-1/status.json',
  'checkpoint.json.tmp',
  'result.json.tmp',
  'lock',
];

const text = 'precious\n';

/** What a program may leave in a place, and a file or directory of somebody else that it leads to. */
const plants: Readonly<Record<string, (place: string, victim: string) => void>> = {
  'a symbolic link': (place, victim) => symlinkSync(victim, place),
  'a link to nothing': (place, victim) => symlinkSync(path.join(path.dirname(victim), 'created'), place),
  'a link to a directory': (place, victim) => symlinkSync(path.dirname(victim), place),
  'a hard link': (place, victim) => linkSync(victim, place),
  'a pipe': (place) => void execFileSync('mkfifo', [place]),
  'a device': (place) => symlinkSync('/dev/zero', place),
  'a directory': (place) => void mkdirSync(path.join(place, 'inner'), { recursive: true }),
};

/** A run that has failed, and continues well when it is resumed. */
async function failedRun(): Promise<{ readonly failed: string; readonly workingDirectory: string }> {
  const failed = path.join(temporaryDirectory(), 'run');
  const workingDirectory = temporaryDirectory();
  const { events } = await runOnDisk(dot, { runDirectory: failed, workingDirectory, backend });
  expect(eventsOf(events, 'StageFailed')).toHaveLength(1);
  writeFileSync(path.join(workingDirectory, 'flag'), '');
  return { failed, workingDirectory };
}

const backend = { run: async () => 'x'.repeat(200_000) };

/** Every name below the run directory. */
function namesOfRun(failed: string): readonly string[] {
  return [...new Set([...readdirSync(failed, { recursive: true, encoding: 'utf8' }), ...later])];
}

describe.each(Object.entries(plants))('%s in the place of', (_kind, plant) => {
  test('any file or directory of a run leads nowhere: no foreign file is touched, and nothing waits', async () => {
    const { failed, workingDirectory } = await failedRun();
    const names = namesOfRun(failed);
    expect(names).toEqual(expect.arrayContaining(['manifest.json', 'ask/response.md', 'work/stdout.log']));
    for (const name of names) {
      const home = temporaryDirectory();
      const directory = path.join(home, 'run');
      cpSync(failed, directory, { recursive: true });
      const victim = path.join(home, 'elsewhere', 'victim');
      mkdirSync(path.dirname(victim));
      writeFileSync(victim, text);
      const place = path.join(directory, name);
      rmSync(place, { recursive: true, force: true });
      mkdirSync(path.dirname(place), { recursive: true });
      plant(place, victim);
      for (const use of [summarizeRun, look, goOnIn(workingDirectory), summarizeRun])
        await useRun(use, directory, name);
      expect(readFileSync(victim, 'utf8'), name).toBe(text);
      expect(readdirSync(path.dirname(victim)), name).toEqual(['victim']);
    }
  });
});

function look(directory: string): void {
  overviewOf(directory, 0);
  readArtifact(directory, 'x');
}

function goOnIn(workingDirectory: string) {
  return (directory: string): Promise<unknown> => resumePipeline(directory, { workingDirectory, backend });
}

/** It goes well, or is refused in words that name the file. */
async function useRun(use: (directory: string) => unknown, directory: string, name: string): Promise<void> {
  try {
    await use(directory);
  } catch (error) {
    if (!(error instanceof RunError)) throw new Error(`${name}: ${String(error)}`, { cause: error });
    expect(error.message, name).toContain(directory);
  }
}

test('a run directory itself may be a link', async () => {
  const { failed, workingDirectory } = await failedRun();
  const home = temporaryDirectory();
  cpSync(failed, path.join(home, 'real'), { recursive: true });
  symlinkSync('real', path.join(home, 'run'));
  const { result } = await resumePipeline(path.join(home, 'run'), { workingDirectory, backend });
  expect(result.status).toBe('success');
});

test('a socket in the place of a manifest is said to be one', async () => {
  const home = temporaryDirectory();
  const directory = path.join(home, 'run');
  mkdirSync(directory);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path.join(directory, 'manifest.json'), resolve));
  try {
    expect(() => overviewOf(directory, 0)).toThrow('manifest.json cannot be read: it is a socket');
    expect(lstatSync(path.join(directory, 'manifest.json')).isSocket()).toBe(true);
  } finally {
    server.close();
  }
  expect(existsSync(directory)).toBe(true);
});
