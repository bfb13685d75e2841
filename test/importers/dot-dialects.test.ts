import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { importers } from '../../src/importers/importers.js';
import { migrate, recognize } from '../../src/importers/migrate.js';

/** A statement of a dialect, and what becomes of it. */
interface Case {
  readonly from: string;
  readonly written: string;
  readonly migrated: string;
}

const cases: readonly Case[] = [
  // names to names
  {
    from: 'fabro',
    written: 'a [shape=parallelogram, script="make"]',
    migrated: 'a [shape=parallelogram, tool_command="make"]',
  },
  {
    from: 'fabro',
    written: 'a [model=x, provider="openai"]',
    migrated: 'a [llm_model=x, llm_provider="openai"]',
  },
  {
    from: 'specification',
    written: 'a [llm_prompt="Do it", is_codergen=true]',
    migrated: 'a [prompt="Do it"]',
  },
  {
    from: 'kilroy',
    written: 'a [agent_tool="claude", llm_provider="anthropic"]',
    migrated: 'a [llm_provider="claude-code"]',
  },
  {
    from: 'tracker',
    written: 'g [shape=hexagon, default_choice="No"]',
    migrated: 'g [shape=hexagon, "human.default_choice"="No"]',
  },
  { from: 'tracker', written: 'a [prompt=p, working_dir="src"]', migrated: 'a [prompt=p, workdir="src"]' },
  { from: 'amplifier', written: 'a [continue_on_fail="true"]', migrated: 'a [on_failure=continue]' },
  { from: 'amplifier', written: 'graph [params="who, what"]', migrated: 'graph [inputs="who?, what?"]' },
  // files, templates, values
  { from: 'fabro', written: 'a [prompt="@prompts/a.md"]', migrated: 'a [prompt_file="prompts/a.md"]' },
  {
    from: 'fabro',
    written: 'a [prompt="{{ goal }} for {{ inputs.who }}"]',
    migrated: 'a [prompt="$goal for ${inputs.who}"]',
  },
  {
    from: 'fabro',
    written: 'a [shape=parallelogram, script="echo {{ goal }}"]',
    migrated: 'a [shape=parallelogram, tool_command="echo ${graph.goal}"]',
  },
  {
    from: 'specification',
    written: 'a [prompt="Read $context.plan.0.name now"]',
    migrated: 'a [prompt="Read ${context.plan.0.name} now"]',
  },
  {
    from: 'tracker',
    written: 'a [prompt="${ctx.x} ${ctx.node.b.last_response} ${params.y}"]',
    migrated: 'a [prompt="${context.x} ${stages.b.response} ${inputs.y}"]',
  },
  {
    from: 'kilroy',
    written: 'a [prompt="Write $KILROY_STAGE_STATUS_PATH"]',
    migrated: 'a [prompt="Write $ATTRACTOR_STAGE_DIR/status.json"]',
  },
  {
    from: 'tracker',
    written: 'a [prompt="Be kind", system_prompt="You are a \\"judge\\""]',
    migrated: 'a [prompt="You are a \\"judge\\"\n\nBe kind"]',
  },
  // shapes
  { from: 'fabro', written: 'a [shape=tab, prompt=p]', migrated: 'a [shape=box, tools=none, prompt=p]' },
  {
    from: 'fabro',
    written: 'a [shape=insulator, duration="2m"]',
    migrated: 'a [shape=parallelogram, tool_command="sleep 120"]',
  },
  {
    from: 'amplifier',
    written: 'a [shape=folder, dot_file="b.dot", "context.x"="1", outputs="y"]',
    migrated:
      'a [shape=folder, type=pipeline, child="b.dot", "params.x"="1", "assign.y"="${context.child.context.y}"]',
  },
  {
    from: 'fabro',
    written: 'a [shape=component, for_each="context.jobs"]',
    migrated: 'a [shape=component, foreach="${context.jobs}"]',
  },
  // conditions
  {
    from: 'fabro',
    written: 'a -> b [condition="outcome=succeeded || outcome != failed"]',
    migrated: 'a -> b [condition="outcome=success || outcome != fail"]',
  },
  {
    from: 'kilroy',
    written: 'a -> b [condition="outcome=fail && context.failure_class!=transient_infra"]',
    migrated: 'a -> b [condition="outcome=fail && result.failure_category!=retryable"]',
  },
  {
    from: 'kilroy',
    written: 'a -> b [condition="context.internal.loop_restart_count=0"]',
    migrated: 'a -> b [condition="!(internal.restart_count > 0)"]',
  },
  {
    from: 'amplifier',
    written: 'a -> b [condition="outcome=pass"]',
    migrated: 'a -> b [condition="preferred_label=pass"]',
  },
  {
    from: 'tracker',
    written: 'a -> b [condition="ctx.tool_stdout = done and ctx.outcome = success"]',
    migrated: 'a -> b [condition="context.tool.last_line = done && outcome = success"]',
  },
  // a stylesheet is changed inside
  {
    from: 'fabro',
    written: 'graph [model_stylesheet="* { model: x; } .f { provider: y }"]',
    migrated: 'graph [model_stylesheet="* { llm_model: x; } .f { llm_provider: y }"]',
  },
  // layout and comments stay
  {
    from: 'fabro',
    written: 'a [\n  max_tokens=5, // many\n  script="x", /* why */ shape=parallelogram\n]',
    migrated: 'a [\n   // many\n  tool_command="x", /* why */ shape=parallelogram\n]',
  },
  { from: 'fabro', written: 'a [max_tokens=5]', migrated: 'a' },
  { from: 'fabro', written: 'a [prompt=p, max_tokens=5, project_memory=true]', migrated: 'a [prompt=p]' },
];

const wrapped = (body: string) => `digraph G {\nstart [shape=Mdiamond]; done [shape=Msquare]\n${body}\n}\n`;

function migratedFrom(name: string, text: string) {
  const importer = importers.find((one) => one.name === name);
  const result = migrate(text, importer)?.result;
  if (result?.kind !== 'migrated') throw new Error(`not migrated: ${JSON.stringify(result)}`);
  return result;
}

/** Text without the comments of the migration. */
const uncommented = (text: string) => text.replaceAll(/^[^\S\n]*\/\/ migrated: .*\n/gm, '');

describe('attributes, texts and conditions of another dialect', () => {
  test.each(cases)('$from: $written', ({ from, written, migrated }) => {
    expect(uncommented(migratedFrom(from, wrapped(written)).text)).toBe(wrapped(migrated));
  });

  test('what this language says too stays, to the last blank', () => {
    const text =
      'digraph G {\n\n  start  [shape=Mdiamond] ; done [ shape=Msquare ]\n/* x */ start->done // y\n}';
    for (const { name } of importers.filter(({ format }) => format === 'dot'))
      expect(migratedFrom(name, text).text).toBe(text);
  });
});

const lostAnswer = wrapped(
  'a [shape=box, prompt="p"]; b [prompt="q"]\nc [prompt="$context.last_response"]\na -> c; b -> c',
);

/** What is written above a statement where something is lost or differs. */
const comments: readonly { readonly from: string; readonly text: string; readonly line: string }[] = [
  {
    from: 'fabro',
    text: wrapped('  a [prompt=p, max_tokens=5]'),
    line: '  // migrated: max_tokens=5: answers have no limit of tokens; `budget_tokens` limits the whole stage\n  a [prompt=p]',
  },
  {
    from: 'specification',
    text: lostAnswer,
    line: '// migrated: context.last_response has the first 200 characters of the answer; ${stages.<id>.response} is the whole answer of a stage\nc [prompt=',
  },
  {
    from: 'kilroy',
    text: wrapped('a -> b [condition="outcome=needs_dod"]'),
    line: '// migrated: outcome=needs_dod is an outcome of its own: run this pipeline with --custom-outcomes\na -> b',
  },
  {
    from: 'fabro',
    text: wrapped('a [prompt=p]; start -> a -> done'),
    line: '// migrated: on_failure=continue lets a failed stage follow its plain edge, as in fabro; the run is then degraded\ndigraph G {\ngraph [on_failure=continue]\n',
  },
  {
    from: 'tracker',
    text: wrapped('a [prompt=p]\na -> done [condition="context.x=1"]; a -> b'),
    line: '// migrated: on_failure=continue lets a failure take the edge without a condition, as in tracker; the run is then degraded\na [prompt=p, on_failure=continue]',
  },
  {
    from: 'fabro',
    text: wrapped('start -> a; a [max_tokens=5, prompt=p]'),
    line: 'start -> a; /* migrated: max_tokens=5: answers have no limit of tokens; `budget_tokens` limits the whole stage */ a [prompt=p]',
  },
];

describe('a comment', () => {
  test.each(comments)('says what differs from $from: $line', ({ from, text, line }) => {
    const { text: migrated, notes } = migratedFrom(from, text);
    expect(migrated).toContain(line);
    expect(notes.some(({ kind }) => kind !== 'rewritten')).toBe(true);
    expect(migratedFrom(from, migrated).text).toBe(migrated);
  });

  test('says once what holds for a statement several times', () => {
    const { text } = migratedFrom('fabro', wrapped('a [prompt=p, max_tokens=5]; a [max_tokens=5]'));
    expect(text.split('max_tokens=5')).toHaveLength(3);
  });
});

describe('what several statements say together', () => {
  test('several exits become one', () => {
    const text =
      'digraph G {\n  start [shape=Mdiamond]\n  good [shape=Msquare]\n  bad [shape=Msquare, label="Oh no"]\n  start -> a\n  a -> good [condition="outcome=success"]\n  a -> bad [condition="outcome=fail"]\n}\n';
    const { text: migrated } = migratedFrom('kilroy', text);
    expect(migrated).toContain(
      '  // migrated: the exit "bad" is no longer used: a pipeline has one exit, which is "good"\n',
    );
    expect(migrated).toContain('a -> good [condition="outcome=fail"]');
    expect(compile(migrated).program).toBeDefined();
  });

  test('a yes_no gate has two labels', () => {
    const { text } = migratedFrom(
      'tracker',
      wrapped(
        'g [shape=hexagon, mode="yes_no"]\ng -> a [condition="ctx.outcome = success"]\ng -> b [label="[R] Revise", condition="outcome != success"]',
      ),
    );
    expect(text).toContain('g -> a [label="[Y] Yes"]\ng -> b [label="[R] Revise"]');
  });

  test('a gate that takes words of a person', () => {
    const alone = migratedFrom('tracker', wrapped('g [shape=hexagon, mode=freeform]\ng -> a'));
    expect(alone.text).toContain('g [shape=hexagon, "human.text"=required]');
    const labelled = migratedFrom(
      'fabro',
      wrapped('g [shape=hexagon]\ng -> a [label="Yes"]; g -> b [label="No", freeform=true]'),
    );
    expect(labelled.text).toContain('g [shape=hexagon, "human.text"=optional]');
    expect(labelled.text).toContain('g -> b [label="No"]');
  });

  test('a loop of kilroy is a command and an edge back', () => {
    const { text } = migratedFrom(
      'kilroy',
      wrapped(
        'begin [shape=trapezium, loop_id=m]\nwork [prompt=p]\nend_of [shape=invtrapezium, loop_id=m, loop_max=12, loop_until_file_contains="out.md:ALL DONE"]\nstart -> begin -> work -> end_of\nend_of -> done',
      ),
    );
    expect(uncommented(text)).toContain('begin [shape=diamond, max_visits=12]');
    expect(text).toContain(`end_of [shape=parallelogram, tool_command="grep -qF -- 'ALL DONE' out.md"]`);
    expect(text).toContain('end_of -> done [condition="outcome=success"]');
    expect(text).toContain('end_of -> begin [condition="outcome=fail"]\n}');
    expect(compile(text).program).toBeDefined();
  });

  /** An edge in a chain, which gets a condition. */
  test.each([
    [
      'in the middle',
      'start -> plan -> rep -> done',
      'start -> plan; plan -> rep [condition="outcome=fail"]; rep -> done',
    ],
    ['at the end', 'start -> plan -> rep', 'start -> plan; plan -> rep [condition="outcome=fail"]'],
    [
      'with a comment',
      'plan -> rep -> done [label=x, // why\n weight=2];',
      'plan -> rep [label=x, weight=2, condition="outcome=fail"]; rep -> done [label=x, // why\n weight=2];',
    ],
    ['alone', 'plan -> rep [label=x]', 'plan -> rep [label=x, condition="outcome=fail"]'],
    ['with an empty block', 'plan -> rep [ ]', 'plan -> rep [condition="outcome=fail" ]'],
    [
      'twice',
      'plan -> rep -> rep',
      'plan -> rep [condition="outcome=fail"]; rep -> rep [condition="outcome=fail"]',
    ],
  ])('a chain is split around an edge with a condition of its own: %s', (_, chain, expected) => {
    const nodes = 'plan [prompt=p]; rep [prompt=q, runs_on=failure]\n';
    const { text } = migratedFrom('amplifier', wrapped(`${nodes}${chain}`));
    expect(text).toContain(`\n${expected}\n}`);
    expect(compile(text).diagnostics.filter(({ rule }) => rule.startsWith('syntax/'))).toEqual([]);
  });

  test('a chain through the end of a loop of kilroy is split, with what its attributes become', () => {
    const { text } = migratedFrom(
      'kilroy',
      wrapped(
        'end_of [shape=invtrapezium, loop_id=m, loop_until_file="x"]; begin [shape=trapezium, loop_id=m]\nstart -> begin -> end_of -> a -> done [loop_restart=true]',
      ),
    );
    expect(text).toContain(
      'start -> begin -> end_of [loop_restart=true]; end_of -> a [loop_restart=true, condition="outcome=success"]; a -> done [loop_restart=true]',
    );
  });

  test('a node with an empty block takes attributes', () => {
    const { text } = migratedFrom('tracker', wrapped('a []\na -> done [condition="ctx.x=1"]; a -> b'));
    expect(text).toContain('a [on_failure=continue]');
  });

  test('limits of all nodes stand before the nodes', () => {
    const { text } = migratedFrom('fabro', wrapped('graph [max_node_visits=20]'));
    expect(text).toContain('digraph G {\nnode [max_visits=20]\nstart');
  });
});

describe('a dialect', () => {
  test.each([
    ['fabro', 'a [shape=parallelogram, script="make"]'],
    ['fabro', 'a -> b [condition="outcome=succeeded"]'],
    ['kilroy', 'a [agent_tool="claude"]'],
    ['amplifier', 'a [shape=folder, dot_file="b.dot"]'],
    ['tracker', 'a [prompt="${ctx.x}"]'],
    ['specification', 'a [llm_prompt="Do it"]'],
    // Words in comments are no signs.
    ['specification', 'a [prompt=p] // script="make"'],
  ])('is recognized: %s in %s', (name, body) => {
    expect(recognize(wrapped(body))?.name).toBe(name);
  });

  test.each([
    ['', 'nothing'],
    ['hello', 'prose'],
    ['strict graph G { a -- b }', 'an undirected graph'],
  ])('is not recognized in %j, %s', (text) => {
    expect(migrate(text)).toBeUndefined();
  });
});

describe('a text that cannot be migrated', () => {
  test.each([
    ['digraph G { a -> ', /.+/],
    ['digraph G { a -> b }', /is a Graphviz drawing, not a pipeline/],
  ])('has an error: %s', (text, message) => {
    const result = migrate(text)?.result;
    if (result?.kind !== 'unreadable') throw new Error('expected an error');
    expect(result.diagnostics[0]?.message).toMatch(message);
  });

  test('missing commas are mended', () => {
    const { text, notes } = migratedFrom(
      'tracker',
      'digraph G { start [shape=Mdiamond label="S"] done [shape=Msquare] start -> done }',
    );
    expect(text).toContain('start [shape=Mdiamond, label="S"]');
    expect(notes[0]?.message).toMatch(/^mended: /);
  });
});

describe('a value in a here-document', () => {
  test('takes the quotes from its delimiter, and escapes the rest', () => {
    const { text } = migratedFrom(
      'specification',
      wrapped(
        "graph [owner=me]\na [shape=parallelogram, tool_command=\"cat <<'END'\n$owner pays `$5` \\\\ here\nEND\ncat <<'RAW'\n$5\nRAW\"]",
      ),
    );
    expect(text).toContain(
      "cat <<END\n${graph.owner} pays \\\\`\\\\$5\\\\` \\\\\\\\ here\nEND\ncat <<'RAW'\n$5\nRAW",
    );
    expect(compile(text).diagnostics.filter(({ rule }) => rule === 'value_refused_in_command')).toEqual([]);
  });
});
