import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { askFace, type Face } from './faces.js';

const around = (statements: string): string =>
  `digraph G { start [shape=Mdiamond]; done [shape=Msquare]; ${statements} }`;

/** Pipelines as people post them: each is refused, with a reason, and leaves nothing behind. */
const bad: readonly (readonly [name: string, dot: string])[] = [
  ['nothing', ''],
  ['no DOT', 'hello'],
  ['a graph that is not one', 'graph { a -- b }'],
  ['half of it', 'digraph G { start [shape=Mdiamond'],
  ['no start', 'digraph G { done [shape=Msquare]; a -> done }'],
  ['no end', 'digraph G { start [shape=Mdiamond]; start -> a }'],
  [
    'two starts',
    'digraph G { s [shape=Mdiamond]; t [shape=Mdiamond]; done [shape=Msquare]; s -> done; t -> done }',
  ],
  ['an edge to nowhere', around('start -> a; a [prompt=x]; a -> nowhere; a -> done')],
  ['a condition that is none', around('start -> a; a -> done [condition="outcome ="]')],
  ['a child that is missing', around('sub [type=pipeline, child="no.dot"]; start -> sub -> done')],
  [
    'a child above the directory',
    around('sub [type=pipeline, child="../../etc/passwd"]; start -> sub -> done'),
  ],
  ['a child that is a device', around('sub [type=pipeline, child="/dev/zero"]; start -> sub -> done')],
  ['a child with an impossible name', around('sub [type=pipeline, child="a\\u0000b"]; start -> sub -> done')],
  [
    'itself as its child, without a key',
    around('a; sub [type=pipeline, child="main.dot"]; start -> a -> sub -> done'),
  ],
  ['no key', around('a [llm_model="gpt-5.2"]; start -> a -> done')],
  ['a provider like a property of objects', around('a [llm_provider=constructor]; start -> a -> done')],
  ['a prompt file that is missing', around('a [prompt_file="no.md"]; start -> a -> done')],
  ['variables that are not set', around('graph [env_requires="__proto__, NO_SUCH"]; start -> done')],
  ['a list of variables that cannot be read', around('graph [env_requires="A,,=,B"]; start -> done')],
  ['a list of inputs that cannot be read', around('graph [inputs="a: nonsense"]; a; start -> a -> done')],
  ['a stylesheet that cannot be read', around('graph [model_stylesheet="* {"]; a; start -> a -> done')],
  ['an agent that is not there', around('a [llm_provider=codex]; start -> a -> done')],
];

const faces: readonly Face[] = ['run', 'serve', 'doctor'];

test.each(bad.flatMap(([name, dot]) => faces.map((face) => ({ name, dot, face }))))(
  '121: $name, on $face',
  async ({ dot, face }) => {
    const asked = await askFace(face, { files: { 'main.dot': dot } });
    const { status, diagnostics, findings, problem, directory } = asked;
    expect(status).toBeOneOf(face === 'serve' ? [400] : [1, 2]);
    const reasons = [...diagnostics, ...findings].filter(({ severity }) => severity === 'error');
    expect(problem ?? reasons).not.toHaveLength(0);
    if (face !== 'serve') expect(readdirSync(directory)).toEqual(['main.dot']);
  },
);
