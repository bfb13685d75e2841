import { describe, expect, it } from 'vitest';
import { checkProperties, type PropertyVerdict } from '../../src/check/check-properties.js';
import { verdictToJson } from '../../src/check/verdict-json.js';
import { compile } from '../../src/compiler/compile.js';

const release = `
  start [shape=Mdiamond]
  implement [prompt="Implement it"]
  test [shape=parallelogram, tool_command="./check"]
  approve [shape=hexagon, label="Ship it?"]
  publish [shape=parallelogram, tool_command="./publish", class="deploy"]
  done [shape=Msquare]
  start -> implement -> test
  test -> approve [condition="outcome=success"]
  test -> implement [condition="outcome=fail"]
  approve -> publish [label="[Y] Yes"]
  approve -> implement [label="[N] No"]
  publish -> done
`;

const forked = `
  start [shape=Mdiamond]
  fork [shape=component]
  fetch [shape=parallelogram, tool_command="./fetch", class="network"]
  redact [prompt="Redact"]
  lint [shape=parallelogram, tool_command="./lint"]
  upload [shape=parallelogram, tool_command="./upload", class="network"]
  join [shape=tripleoctagon]
  done [shape=Msquare]
  start -> fork
  fork -> fetch -> redact -> join
  fork -> lint -> upload -> join
  join -> done
`;

/** The verdict on a property, and the path of the run that breaks it. */
async function verdictOn(body: string, property: string): Promise<[string, string]> {
  const quoted = property.replaceAll('"', '\\"');
  const { program, ...compilation } = compile(`digraph G { graph ["check.it"="${quoted}"]\n${body}}`);
  if (program === undefined) throw new Error(JSON.stringify(compilation.diagnostics));
  const [verdict] = await checkProperties({ ...compilation, program });
  if (verdict === undefined) throw new Error('there is no property');
  return [verdict.kind, detailOf(verdict)];
}

function detailOf(verdict: PropertyVerdict): string {
  switch (verdict.kind) {
    case 'holds':
      return '';
    case 'broken':
      return verdict.counterexample.path.join(' ');
    case 'undecided':
      return verdict.reasons.join('; ');
  }
}

describe('a property of a pipeline', () => {
  it.each([
    ['publish only after approve = yes since the last implement', 'holds', ''],
    ['publish only after test = success', 'holds', ''],
    ['every run that reaches class deploy has passed test', 'holds', ''],
    ['every run that completes has publish', 'holds', ''],
    ['every run that completes has passed publish', 'broken', 'start implement test approve publish done'],
    ['never publish', 'broken', 'start implement test approve'],
    ['never approve = no', 'broken', 'start implement test approve'],
    ['at most 2 LLM stages', 'broken', 'start implement test implement test'],
    [
      'at most 5 LLM stages before publish',
      'broken',
      'start implement test implement test implement test implement test implement test',
    ],
    ['after approve, no LLM stages', 'broken', 'start implement test approve'],
    ['after approve = yes, no LLM stages', 'holds', ''],
    ['after implement, test before approve', 'holds', ''],
    ['after implement, approve before implement', 'broken', 'start implement test'],
    ['after implement, approve = yes before the end', 'holds', ''],
    ['approve only after implement = skipped', 'broken', 'start implement test'],
    ['never test = fail', 'broken', 'start implement test'],
    ['done only after publish', 'holds', ''],
  ])('%s: %s', async (property, kind, detail) => {
    expect(await verdictOn(release, property)).toEqual([kind, detail]);
  });

  it.each([
    ['after fetch, no stage of class network before redact', 'broken', 'start fork fetch lint redact'],
    ['join only after redact', 'broken', 'start fork fetch lint'],
    ['upload only after lint', 'holds', ''],
    ['redact only after fetch', 'holds', ''],
    ['redact only after fetch passed', 'broken', 'start fork fetch lint upload'],
    ['at most 2 tool stages', 'broken', 'start fork fetch lint redact'],
    ['at most 3 tool stages', 'holds', ''],
    ['lint only after fetch', 'broken', 'start fork fetch'],
  ])('of branches, %s: %s', async (property, kind, detail) => {
    expect(await verdictOn(forked, property)).toEqual([kind, detail]);
  });

  it.each([
    [
      'inputs that decide nothing about it',
      '[condition="inputs.mode=x"]',
      'publish only after work',
      'holds',
      '',
    ],
    ['an input that a run may be given', '[condition="inputs.mode=x"]', 'never side', 'broken', 'start work'],
    [
      'an input whose absence breaks it',
      '[condition="inputs.mode=x"]',
      'never publish',
      'broken',
      'start work',
    ],
    [
      'a stage that is read by its name',
      '[condition="stages.work.visits > 3"]',
      'every run that completes has publish',
      'undecided',
      'it may not hold: after start -> work -> side -> done; it depends on whether "stages.work.visits>3" holds after "work"',
    ],
    [
      'a custom outcome',
      '[condition="outcome=needs_work"]',
      'never side',
      'undecided',
      'it may not hold: after start -> work; it depends on the custom outcome "needs_work" of "work"',
    ],
  ])('of a pipeline with %s', async (_, condition, property, kind, detail) => {
    const body = `start [shape=Mdiamond] done [shape=Msquare] work [prompt="Work"] side [prompt="Side"] publish [prompt="Publish"]
      start -> work; work -> side ${condition}; work -> publish; side -> done; publish -> done`;
    expect(await verdictOn(body, property)).toEqual([kind, detail]);
  });

  it.each([
    ['every run that completes has passed slow', 'broken', 'start fork slow quick report done'],
    ['after quick, slow before the end', 'broken', 'start fork slow quick report done'],
    ['join only after quick', 'holds', ''],
  ])('of a parallel node that stops its branches after a time, %s: %s', async (property, kind, detail) => {
    const body = `start [shape=Mdiamond] done [shape=Msquare] slow [prompt="Slow"] quick [prompt="Quick"]
      fork [shape=component, timeout="10m", retry_target=report] join [prompt="Join"] report [prompt="Report"]
      start -> fork; fork -> slow -> join; fork -> quick -> join; join -> done; report -> done`;
    expect(await verdictOn(body, property)).toEqual([kind, detail]);
  });

  it.each([
    [
      'the items of an input',
      'inputs.files',
      'at most 2 LLM stages',
      'broken',
      'start each review review check',
    ],
    [
      'an input by its own name',
      'context.files',
      'at most 2 LLM stages',
      'broken',
      'start each review review check',
    ],
    ['one item of an input', 'inputs.files', 'half only after done', 'broken', 'start each review check'],
    [
      'no item of an input',
      'inputs.files',
      'every run that completes has review',
      'broken',
      'start each check done',
    ],
    [
      'items that a script cannot give',
      'tool.output.files',
      'at most 1 review',
      'undecided',
      'it may not hold: after start -> each; it depends on the items for which "each" runs branches; ' +
        'lists of more than two items, for which "each" runs branches, are not followed',
    ],
  ])('of branches for %s', async (_, list, property, kind, detail) => {
    const body = `graph [inputs="files: list", on_failure=stop] start [shape=Mdiamond] done [shape=Msquare]
      each [shape=component, foreach="\${${list}}", as=file] review [prompt="Review"] check [shape=diamond] half [prompt="h"]
      start -> each -> review -> check; check -> half [condition="parallel.fail_count > 0"]; check -> done; half -> done`;
    expect(await verdictOn(body, property)).toEqual([kind, detail]);
  });

  it.each([
    ['at most 1 work', 'broken', 'start list fork work'],
    [
      'join only after list',
      'undecided',
      'lists of more than two items, for which "fork" runs branches, are not followed',
    ],
  ])('of the items of a list, %s: %s', async (property, kind, detail) => {
    const body = `start [shape=Mdiamond] done [shape=Msquare] list [prompt="List", writes="files: list"]
      fork [shape=component, foreach="\${context.files}"] work [prompt="Work"] join [shape=tripleoctagon]
      start -> list -> fork -> work -> join -> done`;
    expect(await verdictOn(body, property)).toEqual([kind, detail]);
  });

  it.each([
    ['at most 400 LLM stages', 'broken', 801],
    ['at most 1002 any stage', 'holds', 0],
    ['after implement, at most 400 tool stages before publish', 'broken', 802],
  ])('counts far: %s: %s', async (property, kind, length) => {
    const [found, detail] = await verdictOn(release, property);
    expect([found, detail === '' ? 0 : detail.split(' ').length]).toEqual([kind, length]);
  });
});

describe('a counterexample of one of several properties', () => {
  async function endsOf(first: string, second: string): Promise<readonly (string | undefined)[]> {
    const { program, ...compilation } = compile(
      `digraph G { graph ["check.first"="${first}", "check.second"="${second}"]\n${release}}`,
    );
    if (program === undefined) throw new Error(JSON.stringify(compilation.diagnostics));
    const verdicts = await checkProperties({ ...compilation, program });
    return verdicts.map((verdict) =>
      verdict.kind === 'broken' ? (verdictToJson(verdict).ends_before ?? 'as shown') : verdict.kind,
    );
  }

  it('is one that breaks no other before, where there is such a run', async () => {
    expect(await endsOf('never publish', 'never more than 2 LLM stages')).toEqual(['as shown', 'as shown']);
  });

  it('says where the run ends if every run breaks another one before', async () => {
    expect(await endsOf('never test', 'never publish')).toEqual([
      'as shown',
      expect.stringContaining('"test" would break the property "first": never test'),
    ]);
  });
});

describe('a stage sets values of the types that it declares', () => {
  /** Whether runs come to one of the two stages after a condition on what the first one has set. */
  const verdictsOn = async (writes: string, condition: string): Promise<readonly string[]> => {
    const tool = writes === '' ? 'tool_command="./check"' : `tool_command="./check", writes="${writes}"`;
    const body = `start [shape=Mdiamond]; done [shape=Msquare]
      first [shape=parallelogram, ${tool}]
      pub [shape=parallelogram, tool_command="true"]; other [shape=parallelogram, tool_command="true"]
      start -> first; first -> pub [condition="${condition}"]; first -> other; pub -> done; other -> done`;
    const verdicts = await Promise.all(['pub', 'other'].map((id) => verdictOn(body, `never ${id}`)));
    return verdicts.map(([kind]) => kind);
  };

  it.each([
    ['n: integer', 'context.n = 3'],
    ['n: integer', 'context.n in [3, 4]'],
    ['n: integer', 'context.n >= 3'],
    ['n: integer', 'context.n < 0'],
    ['n: integer', 'context.n'],
    ['n: integer', 'context.n > 2 && context.n < 4'],
    ['n: number', 'context.n = 3'],
    ['n: number', 'context.n > 2 && context.n < 3'],
    ['b: boolean', 'context.b = true'],
    ['b: boolean', 'context.b'],
    ['b: boolean', '!context.b'],
    ['l: list', 'context.l contains a'],
    ['l: list', 'context.l contains a && context.l contains b'],
    ['l: list', 'context.l'],
    ['l: list', 'context.l.0 = a'],
    ['m: map', 'context.m.k = 3'],
    ['m: map', 'exists context.m.k'],
    ['m', 'context.m.k = 3'],
    ['', 'tool.exit_code = 2'],
    ['', 'tool.exit_code in [3, 124]'],
    ['', 'tool.exit_code > 2'],
  ])('%s: %s may hold, and may not', async (writes, condition) => {
    const found = await verdictsOn(writes, condition);
    // Where a value is not followed, a run that may be is not shown.
    for (const kind of found) expect(['broken', 'undecided']).toContain(kind);
    if (/^[nb]:|^$/.test(writes)) expect(found).toEqual(['broken', 'broken']);
  });

  it.each([
    ['n: integer', 'context.n > 2 && context.n < 3'],
    ['n: integer', 'context.n = abc'],
    ['b: boolean', 'context.b = 3'],
    ['l: list', 'context.l > 3'],
    ['', 'tool.exit_code = 2.5'],
  ])('%s: %s never holds', async (writes, condition) => {
    expect(await verdictsOn(writes, condition)).toEqual(['holds', 'broken']);
  });
});
