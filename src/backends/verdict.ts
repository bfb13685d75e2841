import { didYouMean } from '../diagnostic/did-you-mean.js';
import { labelsMatch } from '../graph/labels.js';
import { omitUndefined } from '../graph/omit-undefined.js';
import type { StageRoutes } from '../graph/stage-routes.js';
import { problemsWithWrites } from '../graph/values/written-values.js';
import { readHandlerResult } from '../handlers/read-outcome.js';
import type { Outcome } from '../machine/outcome.js';
import {
  contextUpdatesSchema,
  describeWrites,
  requiresWrites,
  type SchemaDialect,
} from './written-schema.js';

/** Number of reminders of a verdict that a stage needs and does not get. */
export function verdictReminders({ isChoice, writes }: StageRoutes): number {
  return requiresWrites(writes) ? verdictCorrections : isChoice ? 1 : 0;
}

/**
 * Reason why a stage fails that ended without a verdict, although the way after its success depends on a label (SEMANTICS 128);
 * undefined if it needs none: missing keys of `writes` are named when its outcome is completed (SEMANTICS 103).
 * @param who `the model`, or the title of an agent
 * @param reminders number of reminders that it received
 */
export function owedLabel(
  { needsLabel, labels }: StageRoutes,
  who: string,
  reminders: number,
): string | undefined {
  if (needsLabel !== true) return undefined;
  const after =
    reminders === 0 ? '' : `, even after ${reminders === 1 ? 'a reminder' : `${reminders} reminders`}`;
  return `${who} ended without choosing how the pipeline continues${after}: expected one of ${quoted(labels)}; say in the prompt when to choose which, use a model that calls tools reliably, or set auto_status=true to continue without a choice`;
}

/** Tool by which a model reports how its stage ended and where control is to go (Appendix C). */
export const verdictTool = 'report_outcome';

/** Number of corrections that a model may make to an unusable verdict, before its stage fails. */
export const verdictCorrections = 3;

/** Statuses that a model may report: a skipped stage would not have asked it. */
const verdictStatuses = ['success', 'partial_success', 'retry', 'fail'] as const;

/** Description of the tool for a model; its labels are those of the node's own edges. */
export interface VerdictDefinition {
  readonly name: typeof verdictTool;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
}

export function verdictDefinition(
  { labels, targets, needsLabel, writes = [] }: StageRoutes,
  dialect: SchemaDialect = 'json_schema',
): VerdictDefinition {
  return {
    name: verdictTool,
    description:
      'Reports how this stage of the pipeline ended. Call it once, when the work is done or cannot be done; say what you did in `notes`.',
    inputSchema: {
      type: 'object',
      properties: omitUndefined<object>({
        outcome: {
          type: 'string',
          enum: verdictStatuses,
          description:
            'success: the work is done; partial_success: a useful part of it; retry: it should be tried again; fail: it cannot be done',
        },
        preferred_label:
          labels.length > 0
            ? {
                type: 'string',
                enum: labels,
                description: `The way the pipeline should continue.${needsLabel === true ? ' A success must have one.' : ''}`,
              }
            : undefined,
        suggested_next_ids:
          targets.length > 1
            ? {
                type: 'array',
                items: { type: 'string', enum: targets },
                description: 'Stages to continue with, the best first; only where no label says it.',
              }
            : undefined,
        notes: { type: 'string', description: 'Summary of the work, in a sentence or two.' },
        failure_reason: {
          type: 'string',
          description: 'Reason of the failure, or of the request for another attempt.',
        },
        context_updates:
          writes.length > 0
            ? contextUpdatesSchema(writes, dialect)
            : {
                type: 'object',
                additionalProperties: true,
                description: 'Values that later stages should have, by name.',
              },
      }),
      required: ['outcome'],
      additionalProperties: false,
    },
  };
}

/** Verdict, or its problem in words for the model that gave it. */
export type VerdictReading =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | {
      readonly kind: 'invalid';
      readonly problem: string;
      /** The verdict, if it only lacks keys that it must report: its stage names them when it fails. */
      readonly outcome?: Outcome;
    };

/** Reads the input of `report_outcome`. An unknown label is an error, not a wish. */
export function readVerdict(input: unknown, ways: StageRoutes): VerdictReading {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return invalid('expected an object with an "outcome"');
  }
  const { outcome: word, ...rest } = input as Readonly<Record<string, unknown>>;
  const status = word ?? rest.status;
  if (!verdictStatuses.some((one) => one === status)) {
    return invalid(`"outcome" must be one of ${verdictStatuses.join(', ')}, not ${JSON.stringify(status)}`);
  }
  const read = readHandlerResult({ ...rest, status }, () => undefined);
  if (read.kind !== 'outcome') return invalid(read.kind === 'invalid' ? read.problem : 'it has no "outcome"');
  return checked(read.outcome, ways);
}

function checked(outcome: Outcome, routes: StageRoutes): VerdictReading {
  const reading = withKnownRoute(outcome, routes);
  if (reading.kind === 'invalid' || reading.outcome.status !== 'success') return reading;
  const known = reading.outcome;
  const problems = problemsWithWrites(routes.writes ?? [], known.context_updates ?? {});
  const lacking = problems.length === 0 ? undefined : `in "context_updates", ${problems.join('; ')}`;
  if (lacksLabel(known, routes)) {
    const missing = `a success needs a "preferred_label": use one of ${quoted(routes.labels)}`;
    return invalid(lacking === undefined ? missing : `${missing}; ${lacking}`);
  }
  return lacking === undefined ? reading : { ...invalid(lacking), outcome: known };
}

/** True for a success that does not choose its way although it must (SEMANTICS 128). */
function lacksLabel(
  { preferred_label: label = '', suggested_next_ids: ids = [] }: Outcome,
  { needsLabel }: StageRoutes,
): boolean {
  return needsLabel === true && label === '' && ids.length === 0;
}

function withKnownRoute(outcome: Outcome, { labels, targets }: StageRoutes): VerdictReading {
  const { preferred_label: label, suggested_next_ids: ids = [] } = outcome;
  let written = label;
  if (label !== undefined && label !== '') {
    // In the spelling of the pipeline: conditions compare it letter by letter.
    written = labels.find((one) => one === label) ?? labels.find((one) => labelsMatch(one, label));
    if (written === undefined) {
      const known =
        labels.length === 0
          ? 'this stage has no labels to choose from: leave it out'
          : `use one of ${quoted(labels)}`;
      return invalid(`there is no label ${JSON.stringify(label)}${didYouMean(label, labels)}; ${known}`);
    }
  }
  const stray = ids.find((id) => !targets.includes(id));
  if (stray !== undefined) {
    const known = targets.length === 0 ? 'leave suggested_next_ids out' : `use ${quoted(targets)}`;
    return invalid(`no edge leads to ${JSON.stringify(stray)}${didYouMean(stray, targets)}; ${known}`);
  }
  if (written === undefined || written === label) return { kind: 'outcome', outcome };
  return { kind: 'outcome', outcome: { ...outcome, preferred_label: written } };
}

function invalid(problem: string): Extract<VerdictReading, { kind: 'invalid' }> {
  return { kind: 'invalid', problem };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

/** Instruction about the tool in a prompt, for models that would otherwise just stop. */
export function verdictInstruction({ labels, isChoice, writes = [] }: StageRoutes): string {
  const choice = labels.length > 0 ? ` Set \`preferred_label\` to one of ${quoted(labels)}.` : '';
  const values = writes.length > 0 ? ` Set in \`context_updates\`: ${describeWrites(writes)}.` : '';
  const must =
    isChoice || requiresWrites(writes) ? 'When you have finished, you must' : 'When you have finished,';
  return `${must} call the tool \`${verdictTool}\` once, to say how this stage ended.${choice}${values}`;
}
