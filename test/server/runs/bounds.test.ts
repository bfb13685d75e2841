import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/run/driver/clock.js';
import type { Submission } from '../../../src/server/api/run.js';
import type { RunRegistry } from '../../../src/server/runs/run-registry.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { openRegistry, quick, type TestOptions, until, untilStatus } from './harness.js';

const hours = (count: number) => ({ milliseconds: count * 3_600_000, text: `${count}h` });

/** Runs it until it pauses. @returns its id, and why it did */
async function paused(registry: RunRegistry, submission: Submission) {
  const { id } = await registry.submit(submission);
  await untilStatus(registry, id, 'paused');
  return { id, reason: registry.detail(id).paused_reason };
}

describe('the time of a run', () => {
  const long: Submission = { ...quick, script: { nodes: { work: [{ delay: '30h' }] } } };
  const overTime =
    'the run has worked for 24h, the limit set by `attractor serve --max-time`; to continue, raise the limit and resume the run';
  const open = (options: TestOptions = {}, directory?: string, clock: Clock = virtualClock()) =>
    openRegistry(options, directory, { clock });

  test('is bounded over all resumes: it pauses again, until the bound is raised', async () => {
    const clock = virtualClock();
    const { registry, directory } = await open({}, undefined, clock);
    const { id, reason } = await paused(registry, long);
    expect(reason).toBe(overTime);
    await registry.resume(id, {});
    await untilStatus(registry, id, 'paused');
    expect(registry.detail(id).paused_reason).toBe(overTime);
    await registry.close();
    const next = await open({ bounds: { maxTime: hours(60) } }, directory, clock);
    expect(next.registry.detail(id).status).toBe('paused');
    await next.registry.resume(id, {});
    await untilStatus(next.registry, id, 'success');
  });

  test('stands still while it waits for people', async () => {
    const gate = 'gate [shape=hexagon, timeout="30h", "human.default_choice"="Yes"]';
    const dot = `digraph G { start [shape=Mdiamond] ${gate} again [prompt="x"] done [shape=Msquare] start -> gate; gate -> done [label="Yes"]; gate -> again [label="No"]; again -> gate }`;
    const { registry } = await open();
    const { id } = await registry.submit({ dot });
    await untilStatus(registry, id, 'success');
    expect(registry.detail(id).duration_ms).toBe(hours(30).milliseconds);
  });

  test('is not spent by a simulation', async () => {
    const { registry } = await open();
    const { id } = await registry.submit({ ...long, simulate: true });
    await untilStatus(registry, id, 'success');
  });
});

describe('the disk of a run', () => {
  const work = (bytes: number): Submission => ({
    dot: 'digraph G { start [shape=Mdiamond] a [prompt="a"] b [prompt="b"] done [shape=Msquare] start -> a -> b -> done }',
    script: { nodes: { a: [{ response: 'x'.repeat(bytes) }], b: [{ delay: '1h' }] } },
  });
  const bounds = { maxDiskBytes: 2 ** 20 };

  test('is bounded, also where it is resumed', async () => {
    const { registry } = await openRegistry({ bounds });
    const { id, reason } = await paused(registry, work(2 ** 21));
    expect(reason).toMatch(
      /^the run takes \d MB on disk, but `attractor serve --max-disk` allows 1 MB; to continue, raise the limit and resume the run$/,
    );
    await registry.resume(id, {});
    await untilStatus(registry, id, 'paused');
    expect(registry.detail(id).paused_reason).toContain('`attractor serve --max-disk` allows 1 MB');
  });

  test('counts what is below its directory, such as that in which its stages work', async () => {
    const { registry, home } = await openRegistry({ bounds });
    const { id } = await registry.submit(work(10));
    await until(() => registry.list({ limit: 1 }).runs[0]?.current_node === 'b');
    await registry.pause(id, { mode: 'now' });
    await untilStatus(registry, id, 'paused');
    writeFileSync(path.join(home, id, 'work-place', 'large'), 'x'.repeat(2 ** 21));
    await registry.resume(id, {});
    await until(() => registry.detail(id).paused_reason?.includes('--max-disk') === true);
  });
});

describe('the other bounds hold for what comes over HTTP', () => {
  const three =
    'digraph G { start [shape=Mdiamond] a [prompt="a"] b [prompt="b"] c [prompt="c"] done [shape=Msquare] start -> a -> b -> c -> done }';

  test('as for the stages, however often the run is resumed or forked', async () => {
    const { registry } = await openRegistry({ bounds: { maxSteps: 2 } });
    const { id } = await registry.submit({ dot: three, max_steps: 500 });
    await untilStatus(registry, id, 'fail');
    expect(registry.detail(id).failure_reason).toContain('2 stages, the limit set by `--max-steps`');
    await registry.resume(id, { max_steps: 500 });
    await untilStatus(registry, id, 'fail');
    const { id: forked } = await registry.fork(id, { at: 'a', resume: true });
    await untilStatus(registry, forked, 'fail');
    expect(registry.detail(forked).failure_reason).toContain('`attractor serve`');
  });

  test('as for the depth of pipelines', async () => {
    const { registry, directory } = await openRegistry({ allowTools: true, bounds: { maxDepth: 2 } });
    const dot =
      'digraph G { "limits.depth"=500; start [shape=Mdiamond] sub [type=pipeline, child="self.dot"] done [shape=Msquare] start -> sub -> done }';
    writeFileSync(path.join(directory, 'self.dot'), dot);
    const { id } = await registry.submit({ dot });
    await untilStatus(registry, id, 'fail');
    expect(registry.detail(id).failure_reason).toContain('(`attractor serve --max-depth`) is 2');
  });
});
