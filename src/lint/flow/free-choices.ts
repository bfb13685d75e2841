import { keysOf } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { OwnRules } from '../../graph/values/own-rules.js';
import type { Condition, KeyOperand } from '../../parser/condition/ast.js';
import { type Clause, printClause } from '../../parser/condition/print.js';
import { type FlowKeys, flowKeysOf, type KeyOptions } from './flow-keys.js';

/** Decision of a node that the search does not know, and therefore takes in every way. */
export interface FreeChoice {
  /** Key that has the choice, which nothing else reads; or, of an assignment, the key that it sets. */
  readonly key: string;
  readonly kind: 'clause' | 'assignment';
  readonly values: readonly JsonValue[];
  /** The unknown fact, for people. */
  readonly about: string;
}

/** A program for the search: it can do all that the original can, and perhaps more. */
export interface FreedProgram {
  readonly program: Program;
  readonly keys: FlowKeys;
  /** Free choices as the stage of a node ends, by node. */
  readonly choices: ReadonlyMap<string, readonly FreeChoice[]>;
}

/**
 * Replaces each clause of a condition that reads what a search does not follow (JSON, two keys at once, …) by a key that the stage
 * before sets to true or false. What holds for all of these runs holds for those of the program.
 */
export function freedProgram(program: Program, options: KeyOptions = {}): FreedProgram {
  const nodes = [...program.nodes.values()];
  const known = flowKeysOf(program.graph, nodes, options);
  const freed = new Map<string, ProgramNode>();
  const choices = new Map<string, readonly FreeChoice[]>();
  let count = 0;
  for (const node of nodes) {
    const own = new NodeChoices(node, known, () => `internal.free.${count++}`);
    freed.set(node.id, own.freed());
    if (own.choices.length > 0) choices.set(node.id, own.choices);
  }
  const limits = { ...program.limits, timeout: undefined };
  const goalGates = program.goalGates.map((gate) => freed.get(gate.id) ?? gate);
  const whole = { ...program, nodes: freed, goalGates, limits };
  return { program: whole, keys: flowKeysOf(program.graph, [...freed.values()], options), choices };
}

class NodeChoices {
  readonly choices: FreeChoice[] = [];
  readonly #node: ProgramNode;
  readonly #known: FlowKeys;
  readonly #newKey: () => string;

  constructor(node: ProgramNode, known: FlowKeys, newKey: () => string) {
    this.#node = node;
    this.#known = known;
    this.#newKey = newKey;
  }

  freed(): ProgramNode {
    const { id, edges, ownRules, parallel } = this.#node;
    if (parallel !== undefined) return this.#node;
    // A clause has one value where the edges of a node are judged; its rules are judged at other times.
    const byText = new Map<string, KeyOperand>();
    const after = `after "${id}"`;
    const routes = edges.map((edge) => ({
      ...edge,
      condition: edge.condition && this.#freed(edge.condition, after, byText),
    }));
    return { ...this.#node, edges: routes, ownRules: ownRules && this.#ownRules(ownRules) };
  }

  #ownRules(rules: OwnRules): OwnRules {
    const { id } = this.#node;
    const { failWhen, retryWhen, assignments } = rules;
    const known = assignments.map((assignment) => {
      const { key } = assignment;
      const values = this.#known.values.get(key);
      if (values === undefined || this.#known.isCovered(assignment)) return assignment;
      const about = `the value that "${id}" assigns to \`${key}\``;
      this.choices.push({ key, kind: 'assignment', values: [...values, null], about });
      return { ...assignment, value: { kind: 'constant', value: null } as const };
    });
    return {
      ...rules,
      assignments: known,
      failWhen: failWhen && this.#freed(failWhen, `in \`fail_when\` of "${id}"`, new Map()),
      retryWhen: retryWhen && this.#freed(retryWhen, `in \`retry_when\` of "${id}"`, new Map(), true),
    };
  }

  /** @param isWhole true to free all clauses that look something up */
  #freed(condition: Condition, where: string, byText: Map<string, KeyOperand>, isWhole = false): Condition {
    switch (condition.kind) {
      case 'and':
      case 'or':
        return {
          ...condition,
          operands: condition.operands.map((one) => this.#freed(one, where, byText, isWhole)),
        };
      case 'not':
        return { ...condition, operand: this.#freed(condition.operand, where, byText, isWhole) };
      case 'constant':
        return condition;
      case 'exists':
      case 'truthy':
      case 'comparison': {
        const isFree = isWhole ? keysOf(condition).length > 0 : !isFollowed(condition, this.#known);
        if (!isFree) return condition;
        return { kind: 'truthy', operand: this.#keyFor(condition, where, byText), span: condition.span };
      }
    }
  }

  #keyFor(clause: Clause, where: string, byText: Map<string, KeyOperand>): KeyOperand {
    const text = printClause(clause);
    const before = byText.get(text);
    if (before !== undefined) return before;
    const operand: KeyOperand = { kind: 'key', path: this.#newKey(), span: clause.span };
    byText.set(text, operand);
    const about = `whether "${text}" holds ${where}`;
    this.choices.push({ key: operand.path, kind: 'clause', values: [true, false], about });
    return operand;
  }
}

/** True for a clause of whose only key the search knows a value for each set that no condition tells apart. */
function isFollowed(clause: Clause, keys: FlowKeys): boolean {
  const paths = new Set(keysOf(clause).map(({ path }) => path));
  if (paths.size === 0) return true;
  const [only = '', second] = paths;
  return second === undefined && keys.isFollowed(clause) && !keys.doubtful.has(only);
}

/** One way to take all free choices of a node. */
export interface ChoicesTaken {
  /** Values of the keys that its clauses have become. */
  readonly clauses: Readonly<Record<string, JsonValue>>;
  readonly assigned: ReadonlyMap<string, JsonValue>;
}

const mostWays = 64;

/** Every way to take the free choices of a node, if they are not too many. */
export function waysToTake(choices: readonly FreeChoice[]): {
  readonly taken: readonly ChoicesTaken[];
  readonly areAll: boolean;
} {
  let taken: ChoicesTaken[] = [{ clauses: {}, assigned: new Map() }];
  for (const { key, kind, values } of choices) {
    if (taken.length * values.length > mostWays) return { taken, areAll: false };
    taken = taken.flatMap(({ clauses, assigned }) =>
      values.map((value) =>
        kind === 'clause'
          ? { clauses: { ...clauses, [key]: value }, assigned }
          : { clauses, assigned: new Map(assigned).set(key, value) },
      ),
    );
  }
  return { taken, areAll: true };
}
