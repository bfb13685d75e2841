// Pipelines as people write them, of any size and the same every time, in the part of DOT that every parser reads.

const verbs = ['Plan', 'Implement', 'Review', 'Refactor', 'Document', 'Benchmark', 'Harden', 'Migrate'];
const things = ['the parser', 'the storage layer', 'the public API', 'the command line', 'the scheduler'];
const sentences = [
  'Read the notes of the stages before, and keep to what was decided there.',
  'Goal: $goal',
  'Work in small steps; run the tests after each of them, and say what you have changed and why.',
  'Do not touch generated files, and leave \\"TODO\\" comments of others alone.',
  'Write down open questions as a list:\\n- what is unclear\\n- what you would decide\\n- what depends on it',
  'Paths such as C:\\\\work\\\\repo may occur; treat them as text.',
  'When you are done, summarise the result in at most ten lines, with the names of the files.',
  'Prefer the standard library; a new dependency needs a reason that a reviewer would accept.',
];

/**
 * A pipeline that lint finds nothing wrong with: sections of ten stages in a row, each with work, a check by a tool, a
 * decision and a way back; every fifth section in a subgraph.
 * @param nodes about how many
 */
export function realisticPipeline(nodes) {
  const sections = Math.max(1, Math.round((nodes - 2) / 10));
  const random = generator(nodes);
  const parts = [opening(nodes)];
  for (let index = 0; index < sections; index += 1) parts.push(section(index, random));
  parts.push(connections(sections));
  return parts.join('');
}

/** A pipeline of tools only, one after the other, with a way round every fifth of them: what a layout takes time for. */
export function branchingPipeline(nodes) {
  const lines = ['digraph Branching {', '  start [shape=Mdiamond]', '  done [shape=Msquare]'];
  const count = Math.max(1, nodes - 2);
  const id = (index) => (index < count ? `s${index}` : 'done');
  for (let index = 0; index < count; index += 1) {
    lines.push(
      `  s${index} [label="Stage ${index}", shape=parallelogram, tool_command="make stage-${index}"]`,
    );
    if (index % 5 === 0) {
      lines.push(`  s${index} -> ${id(index + 1)} [label="next", condition="outcome=success"]`);
      lines.push(`  s${index} -> ${id(index + 3)} [label="skip", condition="outcome!=success"]`);
    } else lines.push(`  s${index} -> ${id(index + 1)}`);
  }
  return `${lines.join('\n')}\n  start -> s0\n}\n`;
}

/** One stage after the other, an edge a statement or all in one. */
export function chain(nodes, { inOneStatement = false } = {}) {
  const ids = ['start', ...Array.from({ length: nodes - 2 }, (_, index) => `n${index}`), 'done'];
  const declared = ids.slice(1, -1).map((id) => `  ${id} [shape=parallelogram, tool_command="true"]`);
  const edges = inOneStatement
    ? [`  ${ids.join(' -> ')}`]
    : ids.slice(1).map((id, index) => `  ${ids[index]} -> ${id}`);
  return [
    'digraph Chain {',
    '  start [shape=Mdiamond]',
    '  done [shape=Msquare]',
    ...declared,
    ...edges,
    '}',
    '',
  ].join('\n');
}

function opening(nodes) {
  return `// A pipeline of about ${nodes} stages.
digraph Generated {
  graph [goal="Rewrite the service in small, tested steps", label="Generated pipeline"];
  rankdir=TB;
  node [shape=box, timeout="900s"];
  edge [weight=1];

  start [shape=Mdiamond, label="Start"];
  done [shape=Msquare, label="Done"];

`;
}

function section(index, random) {
  const inside = index % 5 === 0 ? '    ' : '  ';
  const lines = Array.from({ length: 7 }, (_, position) => work(index, position, random));
  lines.push(
    `check_${index} [shape=parallelogram, label="Run the tests", tool_command="npm test -- --shard ${index}", max_retries=1];`,
    `decide_${index} [shape=diamond, label="Are the tests green?"];`,
    `repair_${index} [label="Repair", prompt="${text(random, 2)}", max_visits=5];`,
    `w${index}_0 -> w${index}_1 -> w${index}_2 -> w${index}_3 -> w${index}_4 -> w${index}_5 -> w${index}_6;`,
    `w${index}_6 -> check_${index} -> decide_${index};`,
    `decide_${index} -> repair_${index} [label="No", condition="outcome=fail"];`,
    `repair_${index} -> check_${index};`,
  );
  const body = lines.map((line) => `${inside}${line}\n`).join('');
  const comment = `${inside}// Section ${index}: ${random.pick(things)}\n`;
  return index % 5 === 0
    ? `  subgraph cluster_${index} {\n    label="Section ${index}";\n${comment}${body}  }\n\n`
    : `${comment}${body}\n`;
}

function work(section, position, random) {
  const label = `${random.pick(verbs)} ${random.pick(things)}`;
  const extra = position % 3 === 0 ? ', llm_model="large-1", reasoning_effort="high"' : ', max_retries=2';
  const prompt = text(random, 2 + random.below(9));
  return `w${section}_${position} [label="${label}", prompt="${prompt}"${extra}];`;
}

function connections(sections) {
  const lines = ['  start -> w0_0;'];
  for (let index = 0; index < sections; index += 1) {
    const next = index + 1 < sections ? `w${index + 1}_0` : 'done';
    lines.push(`  decide_${index} -> ${next} [label="Yes", condition="outcome=success"];`);
  }
  return `${lines.join('\n')}\n}\n`;
}

function text(random, count) {
  return Array.from({ length: count }, () => random.pick(sentences)).join(' ');
}

/** A linear congruential generator, so that every machine measures the same text. */
function generator(seed) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  const below = (limit) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, pick: (list) => list[below(list.length)] };
}
