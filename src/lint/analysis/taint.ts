import { nodeAttribute } from '../../graph/attributes.js';
import type { Attribute, Graph, Node } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { parsedShellTemplate, parsedTemplate } from '../../graph/templates.js';
import { type Assignment, assignmentsOf } from '../../graph/values/assignments.js';
import { isAuthorsKey, writingType } from '../../graph/values/handler-keys.js';
import { contextKey, keysOverlap } from '../../graph/values/key-lists.js';
import { attributeOwners } from '../attribute-owners.js';
import { type ContextWriters, contextWriters } from './context-writes.js';
import { type ControlFlow, controlFlow, type ProgramPoint } from './control-flow.js';
import { type ExecutedValue, executedValues } from './executed-values.js';
import { type MergedBranches, mergedBranches } from './merged-branches.js';
import { type Predecessors, predecessors } from './predecessors.js';

/** Source of a text that no author of the pipeline has seen. */
export type TaintSource =
  | { readonly kind: 'model'; readonly node: Node }
  | { readonly kind: 'person'; readonly node: Node }
  /** Input given by the person or program that starts the run. */
  | { readonly kind: 'input' };

/** Value that is executed in a command, and contains a text of a model or a person. */
export interface TaintedUse extends ExecutedValue {
  readonly node: Node;
  readonly attribute: Attribute;
  readonly source: TaintSource;
}

/** Maximum of findings: more would not help, and each takes a walk through the graph. */
const mostUses = 100;

/** Executed values of all commands of a graph that a model or a person may influence, computed once. */
export const taintedUses = perGraph(findUses);

function findUses(graph: Graph, handlerTypes: KnownHandlerTypes): readonly TaintedUse[] {
  const uses: TaintedUse[] = [];
  let taint: Taint | undefined;
  for (const node of attributeOwners(graph).nodesWith('tool_command')) {
    const attribute = node.attributes.get('tool_command');
    if (typeof attribute?.value !== 'string') continue;
    if (!attribute.value.includes('${') && !attribute.value.includes('ATTRACTOR_CTX_')) continue;
    for (const value of executedValues(attribute.value)) {
      if (uses.length >= mostUses) return uses;
      taint ??= new Taint(graph, handlerTypes);
      const source = taint.sourceOf(node, value.path);
      if (source !== undefined) uses.push({ ...value, node, attribute, source });
    }
  }
  return uses;
}

/** Maximum of commands through which a text is followed, because the stack is limited. */
const deepest = 100;

/**
 * Average number of visits to a point after which the search is given up: each command has a separate
 * search.
 */
const mostLooks = 20;

interface SearchOptions {
  /** Key that assignments set too. */
  readonly key?: string;
  /** True for a key that branches which merge their values bring to their join (SEMANTICS 107). */
  readonly leavesBranches?: boolean;
}

/**
 * Finds the source of a key's value: backwards through the control flow, and through the commands that pass
 * it on.
 */
class Taint {
  readonly #flow: ControlFlow;
  readonly #writers: ContextWriters;
  readonly #cameFrom: Predecessors;
  readonly #merged: MergedBranches;
  readonly #ofCommands = new Map<Node, TaintSource | undefined>();
  readonly #hasModel: boolean;
  /** Number of commands through which a value is being followed. */
  #depth = 0;
  /** Number of points that may still be visited. */
  #patience: number;

  constructor(graph: Graph, handlerTypes: KnownHandlerTypes) {
    const flow = controlFlow(graph, handlerTypes);
    this.#flow = flow;
    this.#writers = contextWriters(graph, handlerTypes);
    this.#merged = mergedBranches(graph, flow);
    this.#cameFrom = predecessors(flow);
    this.#hasModel = flow.points.some(({ handler }) => handler.llm);
    this.#patience = mostLooks * flow.points.length + 100_000;
  }

  sourceOf(node: Node, path: string): TaintSource | undefined {
    if (path.startsWith('ATTRACTOR_CTX_')) return this.#ofVariable(node, path);
    const key = contextKey(path);
    if (key === 'human.gate.text') return this.#search(node, ({ handler }) => handler.type === 'wait.human');
    const [root = ''] = key.split('.', 1);
    if (root === 'inputs') return { kind: 'input' };
    if (['graph', 'internal', 'human', 'work', 'outcome', 'current_node', 'last_stage'].includes(root)) {
      return undefined;
    }
    if (root === 'result') return this.#search(node, () => true);
    const declared = this.#writers.declaredFor(key);
    if (declared.size > 0)
      return this.#search(node, (point) => declared.has(point.node), {
        key,
        leavesBranches: isAuthorsKey(key),
      });
    const type = writingType(key)?.type;
    if (type === 'tool') return this.#search(node, ({ handler }) => handler.type === 'tool');
    // Values of branches and other pipelines are not followed.
    if (type !== undefined && type !== 'codergen') return undefined;
    // No stage declares the key: an earlier model may set it.
    return this.#hasModel
      ? this.#search(node, ({ handler }) => handler.llm, { leavesBranches: isAuthorsKey(key) })
      : undefined;
  }

  /**
   * `ATTRACTOR_CTX_LAST_RESPONSE` is `last_response`; other variables are matched with the keys that stages
   * declare.
   */
  #ofVariable(node: Node, variable: string): TaintSource | undefined {
    const name = variable.slice('ATTRACTOR_CTX_'.length);
    const keys = ['tool.output', 'tool.stderr', 'tool.last_line', ...this.#writers.declaredKeys];
    const key = keys.find((one) => one.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_') === name);
    if (name.startsWith('INPUTS_')) return { kind: 'input' };
    if (key === undefined && /^(?:GRAPH|HUMAN|PARALLEL|CURRENT|OUTCOME)(?:_|$)/.test(name)) return undefined;
    return this.sourceOf(node, key ?? name.toLowerCase());
  }

  /** First source among the stages that may have set the value last. */
  #search(
    node: Node,
    sets: (point: ProgramPoint) => boolean,
    { key, leavesBranches = false }: SearchOptions = {},
  ): TaintSource | undefined {
    const seen = new Set<number>();
    const enterBefore = (index: number): void => {
      this.#cameFrom.forEach(index, (from) => seen.add(from));
      if (leavesBranches) for (const end of this.#merged.endsBefore(index)) seen.add(end);
    };
    for (const { index } of this.#flow.placesOf(node.id)) enterBefore(index);
    for (const index of seen) {
      const point = this.#flow.points[index];
      this.#patience -= 1;
      if (this.#patience < 0) return undefined;
      if (point === undefined) continue;
      const assigned = key === undefined ? undefined : assignmentTo(point.node, key);
      if (assigned !== undefined || (sets(point) && !isPassing(point))) {
        const source = assigned === undefined ? this.#ofWriter(point) : this.#ofAssignment(point, assigned);
        if (source !== undefined) return source;
        // It has set the value again, so earlier values do not count.
        continue;
      }
      enterBefore(index);
    }
    return undefined;
  }

  #ofWriter({ node, handler }: ProgramPoint): TaintSource | undefined {
    if (handler.llm) return { kind: 'model', node };
    if (handler.type === 'wait.human') return { kind: 'person', node };
    return handler.type === 'tool' ? this.#ofCommand(node) : undefined;
  }

  /** Source of a value that a stage assigns: of its own values, or of those before it. */
  #ofAssignment(point: ProgramPoint, { attribute }: Assignment): TaintSource | undefined {
    if (this.#depth >= deepest) return undefined;
    this.#depth += 1;
    let source: TaintSource | undefined;
    for (const part of parsedTemplate(attribute).parts) {
      if (part.kind !== 'value') continue;
      const key = contextKey(part.path);
      const isOwn = key.startsWith('result.') || writingType(key)?.type === point.handler.type;
      source ??= isOwn && !isPassing(point) ? this.#ofWriter(point) : this.sourceOf(point.node, part.path);
    }
    this.#depth -= 1;
    return source;
  }

  /** Source of a command's output, which may repeat the command's values. */
  #ofCommand(node: Node): TaintSource | undefined {
    if (this.#ofCommands.has(node) || this.#depth >= deepest) return this.#ofCommands.get(node);
    this.#ofCommands.set(node, undefined);
    const attribute = node.attributes.get('tool_command');
    const text = nodeAttribute(node, 'tool_command');
    if (attribute === undefined || !text.includes('${')) return undefined;
    this.#depth += 1;
    let source: TaintSource | undefined;
    for (const part of parsedShellTemplate(attribute).parts) {
      if (part.kind === 'value') source ??= this.sourceOf(node, part.path);
    }
    this.#depth -= 1;
    this.#ofCommands.set(node, source);
    return source;
  }
}

function assignmentTo(node: Node, key: string): Assignment | undefined {
  return assignmentsOf(node).find((assignment) => keysOverlap(key, assignment.key));
}

/** True for points that pass the value on unchanged. */
function isPassing({ handler }: ProgramPoint): boolean {
  return handler.type === 'start' || handler.inheritsOutcome;
}
