import { printableLines } from '../../diagnostic/printable.js';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import type { PathStep, RecordedEnd } from '../../run/recording/recorded-path.js';
import type { Rerouting } from '../../run/recording/reroute.js';

const headings = ['old run'] as const;

/** The way of an old run and that through another pipeline side by side, the first difference marked, for people. */
export function renderRerouting(rerouting: Rerouting, file: string): string {
  const { recorded, now, firstDifference, endsOtherwise, unknown } = rerouting;
  const length = Math.max(recorded.path.length, now.path.length);
  const rows = Array.from({ length }, (_, index) => [
    stepText(recorded.path[index]),
    stepText(now.path[index]),
  ]);
  const ends = [endText(recorded.end), unknown === undefined ? endText(now.end) : 'stops: unknown'];
  const width = Math.max(...[...rows, [...headings], ends].map(([left = '']) => textColumns(left)));
  const row = (mark: string, [left = '', right = '']: readonly string[]): string =>
    printableLines(`${mark} ${padColumns(left, width)}   ${right}`.trimEnd());
  const same = firstDifference === undefined;
  return `${[
    row(' ', [...headings, file]),
    ...rows.map((texts, index) => row(index === firstDifference ? '≠' : ' ', texts)),
    row(endsOtherwise ? '≠' : ' ', ends),
    '',
    same ? 'the path is the same' : `the paths differ from step ${firstDifference + 1} on`,
    ...(unknown === undefined ? [] : [printableLines(`the path after that is unknown: ${unknown}`)]),
    ...(unknown === undefined
      ? [endsOtherwise ? 'the run would have ended differently' : 'the run would have ended the same way']
      : []),
    ...reasons(rerouting),
  ].join('\n')}\n`;
}

function reasons({ recorded, now, endsOtherwise }: Rerouting): readonly string[] {
  if (!endsOtherwise) return [];
  return [
    ...(recorded.end.status === 'fail' ? [`  then: ${recorded.end.reason ?? ''}`] : []),
    ...(now.end.status === 'fail' ? [`  now:  ${now.end.reason ?? ''}`] : []),
  ].map(printableLines);
}

function stepText(step: PathStep | undefined): string {
  if (step === undefined) return '–';
  const { node_id, visit, place, status = 'no outcome' } = step;
  const which = visit === 1 ? node_id : `${node_id} (${visit})`;
  return `${place === '' ? '' : `${place}/`}${which}: ${status}`;
}

function endText({ status }: RecordedEnd): string {
  return `end: ${status}`;
}
