import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { type SimulationOptions, simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';
import { eventsOf, pipeline, resumePipeline, runPipeline } from '../harness.js';

/** Simulates a pipeline, and returns its path, what was made up, and values at its end. */
async function played(nodes: string, options: SimulationOptions = {}) {
  const events: RunEvent[] = [];
  const dot = `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]\n${nodes}\n}`;
  const result = await simulate(dot, { start: 0, ...options, onEvent: (event) => events.push(event) });
  if (result.status === 'invalid') throw new Error(JSON.stringify(result.diagnostics));
  const said = events.flatMap((event) =>
    event.type === 'LogAppended' && event.message.includes('made up') ? [event.message] : [],
  );
  return { status: result.status, path: result.path.slice(1).join(' '), said, context: result.context };
}

const tool = 'shape=parallelogram, tool_command="./x"';
const two = (one: string, other: string): string => `t [${tool}]; a [prompt="A."]; b [prompt="B."]
  start -> t; t -> a [condition="${one}"]; t -> b [condition="${other}"]; a -> exit; b -> exit`;

describe('a simulated stage that the pipeline routes by', () => {
  test.each([
    [
      'prints a word that a condition names',
      two('tool.output=resume', 'tool.output=fresh'),
      't a exit',
      'the output "resume" of "t"',
    ],
    [
      'prefers a word that says nothing bad',
      two('tool.last_line=FAILED', 'tool.last_line=passed'),
      't b exit',
      'the output "passed" of "t"',
    ],
    ['sets a key', two('context.mode=no_plan', 'context.mode=plan'), 't b exit', 'mode="plan" of "t"'],
    [
      'prints a part of a text',
      two('tool.output contains error', 'tool.output contains done'),
      't b exit',
      'the output "done" of "t"',
    ],
    [
      'prints what a pattern finds',
      two('tool.output matches \\"^rejected\\"', 'tool.output matches \\"(?i)^ok|yes$\\"'),
      't b exit',
      'the output "ok" of "t"',
    ],
    [
      'prints JSON',
      two('tool.json.state=failed', 'tool.json.state=ready && tool.json.count > 3'),
      't b exit',
      'tool.json={"state":"ready","count":4} of "t"',
    ],
    ['sets a number', two('context.score < 3', 'context.score >= 3'), 't a exit', 'score=2 of "t"'],
  ])('%s', async (_, nodes, path, said) => {
    const run = await played(nodes);
    expect(run).toMatchObject({ status: 'success', path });
    expect(run.said).toEqual([`${said} was made up, because the pipeline routes by it`]);
  });

  test('may be a model, with a label', async () => {
    const nodes = two('preferred_label=Reject', 'preferred_label=Approve').replace(tool, 'prompt="Judge."');
    expect(await played(nodes)).toMatchObject({
      path: 't b exit',
      said: [expect.stringContaining('the label "Approve"')],
    });
  });

  test('looks behind a condition node, and goes on rather than back', async () => {
    const nodes = `a [prompt="A."]; t [${tool}]; d [shape=diamond]
      start -> a -> t -> d; d -> a [condition="tool.output=again"]; d -> exit [condition="tool.output=over"]`;
    expect(await played(nodes)).toMatchObject({ status: 'success', path: 'a t d exit' });
  });

  test('says another word each time in a loop, so that it ends', async () => {
    const nodes = `t [${tool}]; a [prompt="A."]
      start -> t; t -> a [condition="tool.output=more"]; t -> exit [condition="tool.output=never"]; a -> t`;
    expect(await played(nodes)).toMatchObject({ status: 'success', path: 't a t exit' });
  });

  test('says nothing where a plain success leads on', async () => {
    const nodes = `t [${tool}]; a [prompt="A."]
      start -> t; t -> a [condition="tool.output=x"]; t -> exit; a -> exit`;
    expect(await played(nodes)).toMatchObject({ path: 't exit', said: [] });
  });

  test('follows its script instead', async () => {
    const script = readScript({ nodes: { t: { context_updates: { 'tool.output': 'fresh' } } } }, 'the test');
    const run = await played(two('tool.output=resume', 'tool.output=fresh'), { script });
    expect(run).toMatchObject({ path: 't b exit', said: [] });
  });

  test('cannot repair a pipeline that nothing leads on from', async () => {
    const run = await played(two('outcome=fail', 'inputs.mode=x'));
    expect(run).toMatchObject({ status: 'fail', path: 't', said: [] });
  });

  test('uses outcomes in words of their own where the run allows them', async () => {
    const nodes = two('outcome=needs_work', 'outcome=perfect').replace(tool, 'prompt="Judge."');
    expect(await played(nodes)).toMatchObject({ status: 'fail', said: [] });
    expect(await played(nodes, { customOutcomes: true })).toMatchObject({
      status: 'success',
      path: 't a exit',
    });
  });

  test('says the same every time', async () => {
    const nodes = two('tool.output=resume', 'tool.output=fresh');
    expect(await played(nodes)).toEqual(await played(nodes));
  });

  test('says the same every time, with the same options', async () => {
    const nodes = two('tool.output=resume', 'tool.output=fresh');
    const options = { start: 0 };
    expect(await played(nodes, options)).toEqual(await played(nodes, options));
  });

  test('goes on after a resume as it would have without', async () => {
    const dot = pipeline(
      `t [${tool}]`,
      'start -> t',
      't -> a [condition="tool.output=more"]',
      't -> exit [condition="tool.output=never"]',
      'a -> t',
    );
    const { result, directory } = await runPipeline(dot, { simulate: true, maxSteps: 2 });
    expect(result.status).not.toBe('success');
    const again = await resumePipeline(directory, { maxSteps: 100 });
    expect(again.result).toMatchObject({ status: 'success' });
    const said = eventsOf(again.events, 'LogAppended').map(({ message }) => message);
    expect(said.filter((message) => message.includes('made up'))).toEqual([
      'the output "never" of "t" was made up, because the pipeline routes by it',
    ]);
  });
});
