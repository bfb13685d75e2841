import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runRoadmap } from '../integration/process/roadmap.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { hasSamples, sampleJson, sampleText } from './samples.js';

interface Parsed {
  readonly roadmap: string;
  readonly tasks: readonly { readonly id: string; readonly title: string; readonly status: string }[];
}

/** More would only take longer. */
const most = 12;

describe.skipIf(!hasSamples)('examples/roadmap.dot works through a roadmap of somebody else', () => {
  const parsed = hasSamples
    ? (sampleJson('ai-infra/golden/real_roadmap_parser.json') as readonly Parsed[])
    : [];
  const open = (name: string) =>
    parsed.find(({ roadmap }) => roadmap === name)?.tasks.filter(({ status }) => status !== 'completed');

  test.each(['complete_example.md', 'no_headers.md', 'mixed_boxes.md', 'empty.md', 'ai_infra_ROADMAP.md'])(
    '%s',
    async (name) => {
      const text = sampleText(`ai-infra/roadmaps/${name}`);
      const roadmap = path.join(temporaryDirectory(), name);
      writeFileSync(roadmap, text);
      const { result, ticked } = await runRoadmap(roadmap, { max_tasks: most });
      expect(result.failure_reason).toBeUndefined();
      const tasks = result.context.tasks as readonly { readonly id: string; readonly title: string }[];
      const expected = open(name);
      // The real parser finds the same open tasks, under the same ids.
      if (expected !== undefined)
        expect(tasks.map(({ id, title }) => ({ id, title }))).toEqual(
          expected.map(({ id, title }) => ({ id, title })),
        );
      expect(ticked).toHaveLength(Math.min(most, tasks.length));
      expect(result.context.completed).toHaveLength(ticked.length);
    },
  );
});
