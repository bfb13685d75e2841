import { printable } from '../../diagnostic/printable.js';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import { describeUsd, grouped, type Usage } from '../../machine/usage.js';
import { mostLines } from '../progress/status-lines.js';

/** Model usage, as in results and overviews. */
export interface ShownUsage {
  readonly usage: Usage;
  readonly usage_by_stage: Readonly<Record<string, Usage>>;
  readonly unpriced_models?: readonly string[];
}

/** Tokens and cost by stage in columns, the dearest first (SEMANTICS §12); nothing where nothing was used. */
export function usageTable({ usage, usage_by_stage, unpriced_models = [] }: ShownUsage): readonly string[] {
  const stages = Object.entries(usage_by_stage).sort(([, one], [, other]) => compareUsage(one, other));
  if (stages.length === 0) return [];
  const shown = stages.slice(0, mostLines);
  const rows = [
    ['', 'requests', 'input', 'output', 'cost'],
    ...shown.map(([id, ofStage]) => rowOf(printable(id), ofStage)),
    ...(stages.length > shown.length ? [[`… and ${stages.length - shown.length} more`, '', '', '', '']] : []),
    ...(stages.length > 1 ? [rowOf('all stages', usage)] : []),
  ];
  return [...inColumns(rows), ...unpricedLines(unpriced_models)];
}

function compareUsage(one: Usage, other: Usage): number {
  const byCost = (other.cost_usd ?? 0) - (one.cost_usd ?? 0);
  return byCost || other.input_tokens + other.output_tokens - (one.input_tokens + one.output_tokens);
}

function rowOf(name: string, { requests, input_tokens, output_tokens, cost_usd }: Usage): readonly string[] {
  const cost = cost_usd === undefined ? '–' : describeUsd(cost_usd);
  return [name, grouped(requests), grouped(input_tokens), grouped(output_tokens), cost];
}

/** The first column is read from the left, the numbers from the right. */
export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => textColumns(row[column] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? padColumns(cell, width) : ' '.repeat(width - textColumns(cell)) + cell;
      })
      .join('  ')
      .trimEnd(),
  );
}

function unpricedLines(models: readonly string[]): readonly string[] {
  if (models.length === 0) return [];
  const named = models.map((model) => (model === '' ? 'a model without a name' : printable(model)));
  return [`no price is known for ${named.join(', ')}; the sums do not include its cost`];
}
