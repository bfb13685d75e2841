import type { ChalkInstance } from 'chalk';
import type { LimitBelow } from '../../check/bound/bound-run.js';
import { counted } from '../../diagnostic/counted.js';
import { listFirst } from '../../diagnostic/list-first.js';
import { printable } from '../../diagnostic/printable.js';
import { describeUsd, grouped } from '../../machine/usage.js';
import { inColumns } from '../output/usage-table.js';
import type { CostBound, CountBound, SpendingBound } from './bound-cost.js';

/** Run that has as many stages as its bound allows, as the command line shows it. */
export interface ShownReach {
  /** File of its script; undefined if none was asked for. */
  readonly script: string | undefined;
  readonly file: string;
}

/** Upper bounds for people: a table, the limits that hold each of them, and what has none. */
export function renderBound(bound: CostBound, reach: ShownReach | undefined, chalk: ChalkInstance): string {
  const { stages, model_attempts: attempts, requests, tokens, cost_usd: cost } = bound;
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'stages',
      count(stages),
      stages.limits.length === 0 && reach ? 'the longest of all runs' : limitWords(stages),
    ],
    ['model calls', count(attempts), limitWords(attempts)],
    ['requests', count(requests), requests.at_most === null ? limitWords(requests) : requestWords(requests)],
    ['tokens', amount(tokens, grouped), spendingWords(tokens, 'budget_tokens')],
    ['cost', amount(cost, describeUsd), spendingWords(cost, 'budget_usd')],
  ];
  const [head = '', ...table] = inColumns([['', 'at most'], ...rows.map((row) => row.slice(0, 2))]);
  const lines = [
    chalk.dim(head),
    ...table.map((line, index) => {
      const words = rows[index]?.[2] ?? '';
      return words === '' ? line : `${line}  ${chalk.dim(words)}`;
    }),
    '',
    chalk.dim('No run exceeds these numbers, whatever its stages do. Resuming a run may add to them.'),
    ...reachLines(reach).map((line) => chalk.dim(line)),
    ...notes(bound).map((line) => chalk.yellow(`! ${line}`)),
  ];
  return `${lines.join('\n')}\n`;
}

function count({ at_most }: CountBound): string {
  return at_most === null ? 'no limit' : grouped(at_most);
}

function amount({ at_most }: SpendingBound, words: (amount: number) => string): string {
  return at_most === null ? 'no limit' : words(at_most);
}

const reasons: Readonly<Record<CountBound['unlimited'][number]['reason'], string>> = {
  no_limit: 'only a budget stops',
  unknown_pipeline: 'no pipeline is known yet for',
  nested_too_deep: 'parallel nodes are nested too deep after',
};

function limitWords({ limits, unlimited }: CountBound): string {
  const [first] = unlimited;
  if (first === undefined) return listFirst(limits.map(limitText));
  const nodes = unlimited.flatMap(({ node_id, reason }) =>
    reason === first.reason ? [printable(node_id)] : [],
  );
  return `${reasons[first.reason]} ${listFirst(nodes)}`;
}

function requestWords(requests: CountBound): string {
  if (requests.at_most === 0) return '';
  return 'for each call: `ai.max_requests` and a summary, each repeated `ai.request_retries` times';
}

/** A limit as its attribute, with the node that has it: `max_visits=3 of fix`. */
function limitText({ attribute, node_id, value, below }: LimitBelow): string {
  const place = [below, node_id].filter((part) => part !== undefined).join('/');
  const of = place === '' ? '' : ` of ${printable(place)}`;
  if (attribute === 'stages') return `${counted(value, 'stage')} of the longest run`;
  if (attribute === 'foreach') return `${grouped(value)} items${of}`;
  if (attribute === 'max_steps' && node_id !== undefined) return `max_steps=${value} in the branches${of}`;
  return `${attribute}=${value}${of}`;
}

function spendingWords(spending: SpendingBound, attribute: string): string {
  const { by, requests_beyond: beyond } = spending;
  if (by === null) return `set \`${attribute}\``;
  if (by === 'no_model') return 'no stage asks a model';
  const source = {
    run: `\`${attribute}\` of the pipeline`,
    default: 'the default budget of a run',
    stages: `\`${attribute}\` of the stages`,
  }[by];
  return beyond === 0 ? source : `${source}, and ${counted(beyond, 'request')} under way when it is used up`;
}

function reachLines(reach: ShownReach | undefined): readonly string[] {
  if (reach === undefined) return [];
  const { script, file } = reach;
  if (script === undefined) return ['Some run has as many stages: --script FILE writes its script.'];
  return [
    `Some run has as many stages: attractor run ${printable(file)} --simulate --script ${printable(script)}`,
  ];
}

function notes({ open_loops: loops, cost_usd: cost, stages }: CostBound): readonly string[] {
  const isOfList = stages.limits.some(({ attribute }) => attribute === 'foreach');
  return [
    ...loops.map(
      ({ nodes, back }) =>
        `only \`max_steps\` ends the loop ${nodes.map(printable).join(' -> ')}: set \`max_visits\` on one of its nodes, such as ${printable(back.to)}`,
    ),
    ...(isOfList
      ? ['the length of a `foreach` list is not known: --max-items says how many items it has at most']
      : []),
    ...(cost.turns_beyond.length > 0
      ? [
          `${listFirst(cost.turns_beyond.map(printable))}: a coding agent may have several requests under way, or report a whole turn at its end, beyond a budget`,
        ]
      : []),
    ...(cost.unpriced.length > 0
      ? [
          `${listFirst(cost.unpriced.map(printable))}: no price is known for the model, so it does not count towards the cost; set it under \`prices\` in the configuration`,
        ]
      : []),
  ];
}
