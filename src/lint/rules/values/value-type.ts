import type { Diagnostic, RelatedLocation } from '../../../diagnostic/diagnostic.js';
import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { assignPrefix } from '../../../graph/attributes.js';
import { asNumber, keysOf } from '../../../graph/evaluate-condition.js';
import type { Attribute, Graph } from '../../../graph/graph.js';
import type { JsonValue } from '../../../graph/json.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { describeType, type KeyEntry, keysOverlap, type ValueType } from '../../../graph/values/key-lists.js';
import { writtenKeys } from '../../../graph/values/written-keys.js';
import type { Comparison, LiteralOperand } from '../../../parser/condition/ast.js';
import { type Clause, printClause } from '../../../parser/condition/print.js';
import { fitsType, readTyped } from '../../../parser/key-list/value-type.js';
import { type ContextRead, contextReads } from '../../analysis/context-reads.js';
import { contextWriters } from '../../analysis/context-writes.js';
import { describeShape } from '../../analysis/describe-shape.js';
import { misfitAssignments } from '../../analysis/misfit-assignments.js';
import { type ValueFlow, valueFlow } from '../../analysis/value-flow.js';
import { either, isUnknown, mayBePresent, mayHaveMembers, type Shape } from '../../analysis/value-shape.js';
import { judgeByType } from '../../conditions/judge-by-type.js';
import { findingsInside, spanInside, valueSpanOf } from '../../findings-inside.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** SEMANTICS 100–107: types of inputs, of `writes` and of what `assign.*` sets, where their values are read or declared. */
export const valueType: LintRule = {
  name: 'value_type',
  severity: 'warning',
  fixable: true,
  summary: 'Assignments, comparisons and member accesses fit the type of the value.',
  rationale:
    'The types of inputs and `writes`, and the values of `assign.*`, say what a value can be. A condition that compares it with something else always has the same result: `inputs.limit = high` of an integer never holds, and neither does `context.verdict = maybe` after `writes="verdict: pass|fail"`, nor `inputs.files > 3`, because lists have no order. `=` compares texts, so an integer never equals `3.0`. An `assign.<key>` that does not fit the `writes` of its own stage makes the stage fail each time it succeeds: `"assign.count"="3"` is a text, not an integer. A list or a map counts as true even if it is empty. And only lists and maps have members: `${context.count.max}` of an integer is always empty. Lint trusts `writes`: a declared key is set only by stages that declare it, and to a value of its type.',
  followsFlow: true,
  *apply(graph, context) {
    const { source, handlerTypes } = context;
    const reported = new Map<Attribute, Set<number>>();
    const flow = valueFlow(graph, handlerTypes);
    for (const read of contextReads(graph)) {
      if (isBranchEdge(graph, read, handlerTypes)) continue;
      const problems = problemOf(read, flow);
      if (problems === undefined) continue;
      const { attribute, node, edge } = read;
      const starts = reported.get(attribute) ?? new Set();
      reported.set(attribute, starts);
      const unreported = problems.filter(({ span }) => !starts.has(span.start));
      for (const { span } of unreported) starts.add(span.start);
      const isOfNode = edge === undefined || edge[0] === edge[1];
      for (const finding of findingsInside(attribute, unreported.map(diagnostic), source)) {
        yield {
          ...finding,
          nodeId: isOfNode ? node.id : undefined,
          edge: isOfNode ? undefined : edge,
          related: declarations(graph, read, context),
        };
      }
    }
    yield* misfits(graph, context, flow);
  },
};

/** True for a condition on an edge of a parallel node, which is a branch whatever its condition. */
function isBranchEdge(
  graph: Graph,
  { attribute, node }: ContextRead,
  handlerTypes: KnownHandlerTypes,
): boolean {
  return attribute.name === 'condition' && handlerTypeOf(graph, node, handlerTypes).forks;
}

/** Finding with spans within the text of the value. */
type Problem = Pick<Diagnostic, 'message' | 'span' | 'fix'>;

function diagnostic(problem: Problem): Diagnostic {
  return { rule: 'value_type', severity: 'warning', ...problem };
}

function problemOf(read: ContextRead, flow: ValueFlow): readonly Problem[] | undefined {
  const shape = valueAt(read, read.path, flow);
  if (isUnknown(shape)) return undefined;
  if (!mayBePresent(shape)) {
    const problem = partOfNothing(read, flow);
    return problem && [problem];
  }
  const { clause } = read;
  return clause === undefined || keysOf(clause).length > 1
    ? undefined
    : problemsOfClause(read, clause, shape);
}

/** Value where it is read: a condition sees what its stage has set, an assignment may see it. */
function valueAt({ by, node, attribute }: ContextRead, path: string, flow: ValueFlow): Shape {
  if (by === 'condition') return flow.after(node, path);
  const before = flow.before(node, path);
  return attribute.name.startsWith(assignPrefix) ? either(before, flow.after(node, path)) : before;
}

/** Path below a value that has no parts; inputs and `result.` have rules of their own. */
function partOfNothing(read: ContextRead, flow: ValueFlow): Problem | undefined {
  if (/^(?:inputs|result)\./.test(read.key)) return undefined;
  const segments = read.path.split('.');
  for (let length = segments.length - 1; length > 0; length -= 1) {
    const path = segments.slice(0, length).join('.');
    const shape = valueAt(read, path, flow);
    if (isUnknown(shape)) return undefined;
    if (!mayBePresent(shape)) continue;
    if ([...shape.values()].some(mayHaveMembers)) return undefined;
    return {
      message: `${excerpt(read.path)} is always empty: \`${path}\` is ${describeShape(shape)}, which has no members`,
      span: read.span,
      fix: { title: `read \`${path}\`, or declare it as \`map\` or \`list\``, edits: [] },
    };
  }
  return undefined;
}

function problemsOfClause(read: ContextRead, clause: Clause, shape: Shape): readonly Problem[] | undefined {
  const judgement = judgeByType(clause, read.path, shape);
  if (clause.kind === 'truthy')
    return judgement === 'always' ? emptyContainer(read, clause, shape) : undefined;
  if (clause.kind !== 'comparison') return undefined;
  const { operator } = clause;
  if (operator === 'in' || operator === 'not in') {
    const items = impossibleItems(clause, read.path, shape);
    if (items.length > 0) return items.map((item) => neverEqual(read, item, shape));
  }
  const isNegative = operator === '!=' || operator === 'not in';
  if (judgement !== (isNegative ? 'always' : 'never')) return undefined;
  const literal = clause.left.kind === 'key' ? clause.right : clause.left;
  if ((operator === '=' || operator === '!=') && literal.kind === 'literal')
    return [neverEqual(read, literal, shape)];
  return [neverHolds(clause, judgement, shape)];
}

/** Literals of a list that the value is never equal to. */
function impossibleItems(clause: Comparison, path: string, shape: Shape): readonly LiteralOperand[] {
  const { left, right } = clause;
  if (left.kind !== 'key' || right.kind !== 'list') return [];
  return right.items.flatMap((item) => {
    if (item.kind !== 'literal') return [];
    const only: Comparison = { ...clause, operator: 'in', right: { ...right, items: [item] } };
    return judgeByType(only, path, shape) === 'never' ? [item] : [];
  });
}

function neverEqual({ path }: ContextRead, { value, span }: LiteralOperand, shape: Shape): Problem {
  const suggestion = meantValue(value, shape);
  return {
    message: `\`${path}\` is never ${excerpt(value)}: it is ${describeShape(shape)}`,
    span,
    fix:
      suggestion === undefined
        ? { title: 'compare it with a value that it can have, or change its type', edits: [] }
        : {
            title: `write \`${suggestion}\` if that is intended`,
            edits: [{ span, text: suggestion }],
            unsafe: true,
          },
  };
}

/** Word or number that was meant. */
function meantValue(text: string, shape: Shape): string | undefined {
  const words = [...shape.values()].flatMap((one) =>
    one.kind === 'constant' && typeof one.value === 'string' && /^[A-Za-z_]\w*$/.test(one.value)
      ? [one.value]
      : [],
  );
  const number = asNumber(text);
  if (number === undefined) return nearestName(text, words);
  const isWhole = [...shape.values()].some((one) => one.kind === 'type' && one.type.kind === 'integer');
  return isWhole && Number.isSafeInteger(number) && String(number) !== text ? String(number) : undefined;
}

function neverHolds(clause: Comparison, judgement: 'always' | 'never', shape: Shape): Problem {
  const path = keysOf(clause)[0]?.path ?? '';
  const isOrder = /^[<>]/.test(clause.operator);
  const order = isOrder && !hasNumbers(shape) ? ', which has no order' : '';
  return {
    message: `\`${printClause(clause)}\` ${judgement} holds: \`${path}\` is ${describeShape(shape)}${order}`,
    span: clause.span,
    fix: {
      title:
        order === ''
          ? 'compare it with a value that it can have, or change its type'
          : 'let a stage count the members, and compare that number',
      edits: [],
    },
  };
}

function hasNumbers(shape: Shape): boolean {
  return [...shape.values()].some((one) => {
    if (one.kind === 'constant') return typeof one.value !== 'object' && typeof one.value !== 'boolean';
    return one.kind === 'type' && !['list', 'map', 'boolean'].includes(one.type.kind);
  });
}

function emptyContainer(
  { path }: ContextRead,
  { span }: Clause,
  shape: Shape,
): readonly Problem[] | undefined {
  const kinds = new Set([...shape.values()].map((one) => (one.kind === 'type' ? one.type.kind : 'other')));
  const [kind] = kinds;
  if (kinds.size > 1 || (kind !== 'list' && kind !== 'map')) return undefined;
  const empty = kind === 'list' ? '[]' : '{}';
  return [
    {
      message: `\`${path}\` always holds: it is a ${kind}, and an empty ${kind} counts as true, too`,
      span,
      fix: { title: `to test if it is empty, write \`${path} != "${empty}"\``, edits: [] },
    },
  ];
}

/** Assignments that no success of their stage can have (SEMANTICS 102, 103), each attribute once. */
function* misfits(graph: Graph, { handlerTypes, source }: LintContext, flow: ValueFlow): Iterable<Finding> {
  const reported = new Set<Attribute>();
  for (const { node, assignment, entry, shape } of misfitAssignments(graph, handlerTypes, flow)) {
    const { attribute, key } = assignment;
    const writes = node.attributes.get('writes');
    if (reported.has(attribute) || writes === undefined) continue;
    reported.add(attribute);
    yield {
      message: `\`${attribute.name}\` is ${describeAssigned(shape)}, but the \`writes\` of ${excerpt(node.id)} declares ${describeType(entry.type)}, so the stage never succeeds`,
      span: valueSpanOf(attribute, source),
      nodeId: node.id,
      related: [{ span: spanInside(writes, entry.span, source), message: `\`${key}\` is declared here` }],
      fix: fixOfMisfit(attribute, entry, shape),
    };
  }
}

/** A constant with its type, because `3` and `"3"` differ. */
function describeAssigned(shape: Shape): string {
  const [only, ...others] = shape.values();
  if (only?.kind !== 'constant' || others.length > 0) return describeShape(shape);
  const { value } = only;
  if (typeof value === 'string') return `the text ${excerpt(value)}`;
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a map';
  return `the ${typeof value} ${value}`;
}

function fixOfMisfit(attribute: Attribute, { type }: KeyEntry, shape: Shape): Finding['fix'] {
  const [only, ...others] = shape.values();
  const written =
    only?.kind === 'constant' && others.length === 0 ? meantLiteral(only.value, type) : undefined;
  if (written === undefined || attribute.origin !== 'explicit')
    return { title: 'assign a value of that type, or change the type in `writes`', edits: [] };
  const edits = [{ span: attribute.valueSpan, text: written }];
  return { title: `write \`${written}\` if that is intended`, edits, unsafe: true };
}

/** DOT value of the type that was meant: `3` for the text `"3"`, and the other way round. */
function meantLiteral(value: JsonValue, type: ValueType | undefined): string | undefined {
  if (typeof value === 'object') return undefined;
  switch (type?.kind) {
    case 'string':
      return `"${value}"`;
    case 'integer':
    case 'number':
    case 'boolean':
      return /^(?:-?\d*\.?\d+|true|false)$/.test(String(value)) &&
        fitsType(type, readTyped(type, String(value)))
        ? String(value)
        : undefined;
    case 'words': {
      const suggestion = nearestName(String(value), type.words);
      return suggestion && JSON.stringify(suggestion);
    }
    default:
      return undefined;
  }
}

const mostRelated = 3;

/** Places that declare or assign the key. */
function declarations(
  graph: Graph,
  { key }: ContextRead,
  { handlerTypes, source }: LintContext,
): readonly RelatedLocation[] {
  const inputs = graph.attributes.get('inputs');
  if (key.startsWith('inputs.'))
    return inputs === undefined ? [] : [{ span: inputs.keySpan, message: 'it is declared here' }];
  const written = [...contextWriters(graph, handlerTypes).declaredFor(key)].flatMap((node) =>
    writtenKeys(node).filter((one) => keysOverlap(key, one.key)),
  );
  return written
    .slice(0, mostRelated)
    .map(({ attribute, span }) =>
      span === undefined
        ? { span: attribute.keySpan, message: 'it is assigned here' }
        : { span: spanInside(attribute, span, source), message: 'it is declared here' },
    );
}
