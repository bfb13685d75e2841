import type { Clause, Model, ModelEdge, ModelNode } from './random-pipelines.js';
import { statuses } from './reference.js';

// The semantics as a Promela model, from docs/semantics.md and without any code of src: SPIN visits every state of it. Several
// pipelines are in one model, because compiling its verifier takes longer than all of its searches. The verifier reads PIPELINE
// (the number of the one to search), and ROUND or WAY: the numbers of the nodes that a run passes again and again, or of its
// first ones.

/** Values of the key by their number in the model. */
export const keyNumbers = [undefined, 'red', 'blue', 'else'] as const;
/** Ways to leave a node besides its edges, which have the numbers from 0. */
export const jumps = 8;
export const stageFailed = 9;
export const stuck = 10;
/** Ends of a run by their number in the model. */
export const endings = [
  'completed',
  'gate_failed',
  'stage_failed',
  'no_route',
  'visits',
  'redirects',
] as const;

const skipped = statuses.indexOf('skipped');
const fail = statuses.indexOf('fail');
const mostGoalGateRedirects = 50;

/** Labels that a stage may prefer, and nodes that it may suggest, by their number in the model; the first is none. */
export function wordsOf({ edges }: Model) {
  return {
    labels: ['', ...new Set(edges.map(({ label }) => label).filter((label) => label !== ''))],
    targets: [undefined, ...new Set(edges.map(({ to }) => to))],
  };
}

/** Nodes of a pipeline, and its exit, by their number in the model. */
export function numberedIds({ nodes }: Model): readonly string[] {
  return [...nodes.keys(), 'exit'];
}

/**
 * Model of some pipelines. Whatever a property can see of a run is a moment of it: `seen` is 1 where the visit of the node `at`
 * starts, 2 where it ends with the status `came`, and 3 where the run completes.
 * @param claims formulas about the observations, by name
 */
export function promelaOf(models: readonly Model[], claims: ReadonlyMap<string, string> = new Map()): string {
  const choices = models.map((_, index) => `  :: pipeline == ${index} -> goto p${index}_begin`);
  return [
    notes,
    'byte pipeline, status, label, suggested, key, way, held, visited, turn, redirects, unsatisfied, outcomes;',
    'byte visits[5]; byte gate[5]; byte first[5];',
    'byte seen, at, came;',
    'active proctype runs() {',
    '  c_code { prepare(); now.pipeline = atoi(getenv("PIPELINE")); };',
    '  if',
    ...choices,
    '  fi;',
    ...models.flatMap((model, index) => new PipelineText(model, `p${index}_`, claims.size > 0).lines()),
    'over: skip',
    '}',
    ...[...claims].map(([name, formula]) => `ltl ${name} { ${formula} }`),
  ].join('\n');
}

/** What the verifier notes outside the state, and prints once. */
const notes = String.raw`
c_decl {
  static int asked[6], askedCount, isWay;
  static unsigned char seen[1 << 22];
  static void prepare(void) {
    char *one = getenv("WAY");
    isWay = one != 0;
    if (one == 0) one = getenv("ROUND");
    for (askedCount = 0; one != 0 && *one != 0 && askedCount < 6; one++)
      if (*one >= '0' && *one <= '9') asked[askedCount++] = *one - '0';
  }
  static int isNew(int number) { int is = seen[number] == 0; seen[number] = 1; return is; }
  static void entered(int node, int hasKey) {
    if (isNew(node * 2 + hasKey)) printf("entered %d %d\n", node, hasKey);
  }
  static void ended(int how, int visited) {
    if (isNew(64 + how * 64 + visited)) printf("ended %d %d\n", how, visited);
  }
  static void departed(int node, int status, int key, int label, int suggested, int way, int held) {
    int number = ((((((node * 4 + status) * 4 + key) * 4 + label) * 8 + suggested) * 16 + way) * 8 + held);
    if (isNew(1024 + number)) printf("departed %d %d %d %d %d %d %d\n", node, status, key, label, suggested, way, held);
  }
  /* 100 once all nodes of a round were passed, 200 where a run leaves a way. */
  static int turned(int node, int turn) {
    if (askedCount == 0 || turn >= 100) return turn;
    if (asked[turn] != node) return isWay ? 200 : turn;
    if (turn + 1 < askedCount) return turn + 1;
    if (isWay && isNew(1023)) printf("way\n");
    return isWay ? 200 : 100;
  }
}
`;

/** Promela of one pipeline: a label for each node, at which a run enters it. */
class PipelineText {
  readonly #model: Model;
  readonly #prefix: string;
  readonly #ids: readonly string[];
  readonly #isObserved: boolean;

  constructor(model: Model, prefix: string, isObserved: boolean) {
    this.#model = model;
    this.#prefix = prefix;
    this.#isObserved = isObserved;
    this.#ids = numberedIds(model);
  }

  lines(): readonly string[] {
    return [
      `${this.#prefix}begin: goto ${this.#at(this.#model.first)};`,
      ...[...this.#model.nodes.values()].flatMap((node) => this.#node(node)),
      ...this.#exit(),
    ];
  }

  #at(id: string): string {
    return this.#prefix + id;
  }

  #node(node: ModelNode): readonly string[] {
    const number = this.#ids.indexOf(node.id);
    const { maxVisits } = node;
    const at = this.#at(node.id);
    return [
      `${at}: skip;`,
      ...(maxVisits === undefined
        ? []
        : [
            `if :: visits[${number}] >= ${maxVisits} -> ${ended('visits')}`,
            `:: else -> visits[${number}] = visits[${number}] + 1 fi;`,
          ]),
      ...this.#entered(node.id),
      ...this.#observed(`seen = 1; at = ${number}`),
      ...(node.kind === 'diamond' ? [assignment(node)] : this.#work(node, number)),
      // A diamond passes on the outcome before it, and has one of its own.
      ...this.#observed(`seen = 2; at = ${number}; came = ${node.kind === 'diamond' ? 0 : 'status'}`),
      ...this.#departure(node, number),
    ];
  }

  #entered(id: string): readonly string[] {
    const number = this.#ids.indexOf(id);
    const noted = `entered(${number}, now.key != 0); now.turn = turned(${number}, now.turn);`;
    return [
      `d_step { visited = visited | ${1 << number}; c_code { ${noted} } };`,
      `if :: turn == 100 -> accept_${this.#at(id)}: turn = 0 :: else fi;`,
    ];
  }

  #observed(observation: string): readonly string[] {
    if (!this.#isObserved) return [];
    return [`d_step { ${observation} };`, 'd_step { seen = 0; at = 0; came = 0 };'];
  }

  /** Everything that a stage may say, and what its node makes of it. */
  #work(node: ModelNode, number: number): readonly string[] {
    const { labels, targets } = wordsOf(this.#model);
    const numbers = (values: readonly unknown[], name: string) =>
      values.flatMap((_, index) => (index === 0 ? [] : [`:: ${name} = ${index}`]));
    return [
      `if ${statuses.map((_, index) => `:: status = ${index}`).join(' ')} fi;`,
      'if :: skip :: key = 1 :: key = 2 :: key = 3 fi;',
      `if :: skip ${numbers(labels, 'label').join(' ')} ${numbers(targets, 'suggested').join(' ')} fi;`,
      node.assigns === undefined ? '' : `if :: status == ${fail} -> skip :: else -> ${assignment(node)} fi;`,
      ...(node.goalGate
        ? [
            'd_step {',
            `  if :: gate[${number}] == 0 && status != ${skipped} -> first[outcomes] = ${number + 1}; outcomes = outcomes + 1 :: else fi;`,
            `  if :: status == ${skipped} -> skip :: status == ${fail} -> gate[${number}] = 2 :: else -> gate[${number}] = 1 fi`,
            '};',
          ]
        : []),
    ];
  }

  #departure(node: ModelNode, number: number): readonly string[] {
    const edges = this.#edgesOf(node);
    const conditions = edges.flatMap(({ condition }, index) =>
      condition === undefined
        ? []
        : [`  if :: ${holds(condition)} -> held = held | ${1 << index} :: else fi;`],
    );
    const { retryTarget } = node;
    const arguments_ = `${number}, now.status, now.key, now.label, now.suggested, now.way, now.held`;
    return [
      'd_step {',
      '  held = 0;',
      ...conditions,
      `  ${this.#route(node, edges)};`,
      `  c_code { departed(${arguments_}); };`,
      '};',
      'if',
      ...edges.map(({ to }, index) => `:: way == ${index} -> ${this.#go(to)}`),
      ...(retryTarget === undefined ? [] : [`:: way == ${jumps} -> ${this.#go(retryTarget)}`]),
      `:: way == ${stageFailed} -> ${ended('stage_failed')}`,
      `:: way == ${stuck} -> ${ended('no_route')}`,
      'fi;',
    ];
  }

  /** Rows 19–22 and 80. */
  #route(node: ModelNode, edges: readonly ModelEdge[]): string {
    const isPlain = ({ condition }: ModelEdge): boolean => condition === undefined;
    const plain = edges.filter(isPlain);
    const among = (some: readonly ModelEdge[], otherwise: string) => this.#chosen(edges, some, otherwise);
    const conditional = (otherwise: string) =>
      byPriority(edges.filter((edge) => !isPlain(edge))).reduceRight((rest, edge) => {
        const index = edges.indexOf(edge);
        return either(`(held & ${1 << index}) != 0`, `way = ${index}`, rest);
      }, otherwise);
    const ordinary = (otherwise: number) => conditional(among(plain, `way = ${otherwise}`));
    const hasElse = node.kind === 'diamond' && plain.length > 0 && plain.length < edges.length;
    const { retryTarget } = node;
    const isJump = retryTarget !== undefined && retryTarget !== 'exit';
    const diamonds = plain.filter(({ to }) => this.#isDiamond(to));
    const afterAll = node.continues ? ordinary(stageFailed) : `way = ${stageFailed}`;
    const ladder = conditional(isJump ? `way = ${jumps}` : among(diamonds, afterAll));
    return either(`status == ${fail}`, hasElse ? ordinary(stageFailed) : ladder, ordinary(stuck));
  }

  /** Choice among edges without conditions: by the label, by the suggestion, by weight and name. */
  #chosen(edges: readonly ModelEdge[], some: readonly ModelEdge[], otherwise: string): string {
    const { labels, targets } = wordsOf(this.#model);
    const [best] = byPriority(some);
    if (best === undefined) return otherwise;
    const by = (name: string, numberOf: (edge: ModelEdge) => number, rest: string) =>
      some.reduceRight((after, edge) => {
        const number = numberOf(edge);
        return number <= 0 ? after : either(`${name} == ${number}`, `way = ${edges.indexOf(edge)}`, after);
      }, rest);
    const suggested = by('suggested', ({ to }) => targets.indexOf(to), `way = ${edges.indexOf(best)}`);
    return by('label', ({ label }) => labels.indexOf(label), suggested);
  }

  #exit(): readonly string[] {
    const gates = [...this.#model.nodes.values()].filter(({ goalGate }) => goalGate);
    const numberOf = ({ id }: ModelNode) => this.#ids.indexOf(id);
    const failing = gates.reduceRight(
      (rest, _, index) =>
        either(
          `first[${index}] != 0 && gate[first[${index}] - 1] == 2`,
          `unsatisfied = first[${index}]`,
          rest,
        ),
      'skip',
    );
    const silent = gates.reduceRight(
      (rest, gate) => either(`gate[${numberOf(gate)}] == 0`, `unsatisfied = ${numberOf(gate) + 1}`, rest),
      'skip',
    );
    return [
      `${this.#at('exit')}: skip;`,
      ...this.#entered('exit'),
      `d_step { unsatisfied = 0; ${failing};`,
      this.#model.requiresGates ? `${either('unsatisfied == 0', silent, 'skip')} };` : '};',
      `if :: unsatisfied == 0 -> ${this.#completed()} ${ended('completed')}`,
      ...gates.map((gate) => `:: unsatisfied == ${numberOf(gate) + 1} -> ${this.#sendBack(gate)}`),
      'fi;',
    ];
  }

  #completed(): string {
    const exit = `at = ${this.#ids.indexOf('exit')}`;
    return [`seen = 1; ${exit}`, `seen = 2; ${exit}`, 'seen = 3']
      .flatMap((observation) => this.#observed(observation))
      .join(' ');
  }

  /** Rows 33 and 34. */
  #sendBack({ retryTarget }: ModelNode): string {
    const target = [retryTarget, this.#model.retryTarget].find((id) => id !== undefined && id !== 'exit');
    if (target === undefined) return ended('gate_failed');
    const again = `redirects = redirects + 1; ${this.#go(target)}`;
    return `if :: redirects >= ${mostGoalGateRedirects} -> ${ended('redirects')} :: else -> ${again} fi`;
  }

  /** Only a diamond, and the exit for one to which it sends back, sees the outcome of before. */
  #go(to: string): string {
    const forgets = to !== 'exit' && !this.#isDiamond(to);
    const reset = forgets ? 'status = 0; label = 0; suggested = 0; ' : '';
    return `d_step { ${reset}way = 0; held = 0; unsatisfied = 0 }; goto ${this.#at(to)}`;
  }

  #isDiamond(id: string): boolean {
    return this.#model.nodes.get(id)?.kind === 'diamond';
  }

  #edgesOf({ id }: ModelNode): readonly ModelEdge[] {
    return this.#model.edges.filter(({ from }) => from === id);
  }
}

function ended(how: (typeof endings)[number]): string {
  return `d_step { c_code { ended(${endings.indexOf(how)}, now.visited); } }; goto over`;
}

function assignment({ assigns }: ModelNode): string {
  return assigns === undefined ? 'skip;' : `key = ${keyNumbers.indexOf(assigns)};`;
}

function either(condition: string, yes: string, no: string): string {
  return `if :: ${condition} -> ${yes} :: else -> ${no} fi`;
}

function holds(clauses: readonly Clause[]): string {
  return clauses
    .map(({ key, sign, value }) => {
      const isOutcome = key === 'outcome';
      const words: readonly unknown[] = isOutcome ? statuses : keyNumbers;
      return `${isOutcome ? 'status' : 'key'} ${sign === '=' ? '==' : '!='} ${words.indexOf(value)}`;
    })
    .join(' && ');
}

function byPriority(edges: readonly ModelEdge[]): readonly ModelEdge[] {
  return [...edges].sort((one, other) => other.weight - one.weight || (one.to < other.to ? -1 : 1));
}
