import type { InputBody, ReportNumber } from '../../machine/input.js';
import type { StageReport } from './stage-queue.js';

type Recorded = ReadonlyMap<string, ReportNumber>;

/**
 * Reports to a run that it may need again: a machine that is paused ignores what comes, and whoever continues the run must be able
 * to answer a question that is open.
 */
export class KeptReports {
  readonly #reports = new Map<string, StageReport[]>();
  /** Attempts that nobody begins again. */
  readonly #givenUp = new Set<string>();

  add(report: StageReport): void {
    const { stage } = report;
    const earlier = this.#reports.get(stage);
    if (earlier === undefined) this.#reports.set(stage, [report]);
    else earlier.push(report);
  }

  /** Reports of an attempt that begins, or is found again, in the order in which they came. */
  begin(stage: string): readonly StageReport[] {
    this.#givenUp.delete(stage);
    return [...(this.#reports.get(stage) ?? [])];
  }

  /** Nobody needs what this attempt has reported, or will report. */
  giveUp(stage: string): void {
    this.#givenUp.add(stage);
  }

  /**
   * Takes away the reports that nobody needs any more.
   * @param recorded latest report of each attempt that is recorded
   * @returns their ids
   */
  takeNeedless(recorded: Recorded): readonly string[] {
    return [...this.#reports].flatMap(([stage, reports]) => {
      const isNeeded = this.#givenUp.has(stage) ? () => false : neededOf(reports, recorded.get(stage));
      const left = reports.filter(isNeeded);
      if (left.length === 0) this.#reports.delete(stage);
      else if (left.length < reports.length) this.#reports.set(stage, left);
      return reports.flatMap((report) => (left.includes(report) ? [] : [report.id]));
    });
  }

  /** Takes all away: the run is over. @returns their ids */
  takeAll(): readonly string[] {
    const ids = [...this.#reports.values()].flatMap((reports) => reports.map(({ id }) => id));
    this.#reports.clear();
    return ids;
  }
}

/**
 * Tells which reports of an attempt are needed. A question has no number in the journal, nor has it that words are taken: these are needed
 * until the attempt has ended.
 */
function neededOf(
  reports: readonly StageReport[],
  recorded: ReportNumber | undefined,
): (report: StageReport) => boolean {
  const hasEnded = reports.some(({ ending }) => ending !== undefined);
  return (report) => {
    const isOpen = !hasEnded && !isBefore(report, recorded);
    if (report.steering !== undefined && isOpen) return true;
    return report.inputs.some((input, index) =>
      isQuestion(input) ? isOpen : isLater(numberOf(report, index), recorded),
    );
  };
}

export function isQuestion({ kind }: InputBody): boolean {
  return kind === 'question_raised';
}

/** Number of an input of a report. */
export function numberOf({ stage, execution, number }: StageReport, index: number): ReportNumber {
  return { stage, execution, number: number + index };
}

/** Number of the last input of a report, or of one without inputs. */
export function latestIn(report: StageReport): ReportNumber {
  return numberOf(report, Math.max(0, report.inputs.length - 1));
}

/** True for a report of a worker that no longer has the attempt. */
export function isBefore({ execution }: StageReport, last: ReportNumber | undefined): boolean {
  return last !== undefined && execution < last.execution;
}

export function isLater(one: ReportNumber, other: ReportNumber | undefined): boolean {
  if (other === undefined) return true;
  return one.execution > other.execution || (one.execution === other.execution && one.number > other.number);
}
