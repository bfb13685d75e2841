import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventsOf, ownPromptOf, pipeline, runOnDisk } from '../../run/harness.js';
import { virtualClock } from '../../support/virtual-clock.js';

const count = 400_000;
/** A list of 50 MB. */
const program = `process.stdout.write(JSON.stringify(Array.from({ length: ${count} }, (_, id) => ({ id, path: 'src/' + 'x'.repeat(100) }))))`;

test('103, 104, 110: a tool may print 50 MB of JSON: commands, assign and prompts have all of it, and conditions say that they do not', async () => {
  const dot = pipeline(
    'graph [on_failure=stop]',
    `scan [shape=parallelogram, prompt="", tool_command="node -e \\"${program}\\"", output=json, "assign.last"="\${tool.json.${count - 1}.id}"]`,
    'measure [shape=parallelogram, prompt="", tool_command="printf %s ${stages.scan.json} | wc -c"]',
    'ask [prompt="Sum up ${stages.scan.json}, of which the last is ${context.last}", fidelity=full]',
    'route [shape=diamond, prompt=""]',
    'never',
    'start -> scan -> measure -> ask -> route',
    'route -> never [condition="stages.scan.json.0.id=0"]',
    'route -> exit',
    'never -> exit',
  );
  const clock = virtualClock({ mayPass: () => false });
  const { result, events, directory } = await runOnDisk(dot, { clock });
  const bytes = eventsOf(events, 'StageCompleted').find(({ node_id }) => node_id === 'scan')?.outcome.output
    ?.bytes;
  expect(bytes).toBeGreaterThan(50_000_000);
  expect(Number(readFileSync(path.join(directory, 'measure/stdout.log'), 'utf8'))).toBe(bytes);
  const prompt = ownPromptOf(directory, 'ask');
  expect(prompt).toMatch(/^Sum up \[\$\{stages\.scan\.json\} is too long .*\], of which the last is 399999$/);
  const [file = ''] = (await readdir(path.join(directory, 'ask'))).filter((name) =>
    name.startsWith('value-'),
  );
  expect(JSON.parse(readFileSync(path.join(directory, 'ask', file), 'utf8'))).toHaveLength(count);
  expect(result).toMatchObject({ status: 'fail', failed_node: 'route' });
  expect(result.failure_reason).toMatch(/stages\.scan\.json.*\d{8} bytes/);
  expect(result.path).not.toContain('never');
  const lines = readFileSync(path.join(directory, 'events.jsonl'), 'utf8').split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(256 * 1024);
});
