import { useEffect, useState } from 'preact/hooks';
import type { CheckResult } from '../../server/api/language.js';
import { failureMessage, failureOf } from '../api/failure.js';
import { requestJson } from '../api/request.js';
import type { CompiledText } from './use-compilation.js';

export type Verdict = CheckResult['properties'][number];

/** Verdicts on the properties of a text, which the server decides. */
export interface Verdicts {
  /** Text that they are about; undefined while there are none. */
  readonly of: CompiledText | undefined;
  readonly verdicts: readonly Verdict[];
  /** Reason why the latest text has none, in a sentence. */
  readonly failure: string | undefined;
}

const pauseMs = 600;

/** Decides the properties of the latest text after a pause in typing; those of before stay until then. */
export function useVerdicts(compiled: CompiledText): Verdicts {
  const [known, setKnown] = useState<Verdicts>({ of: undefined, verdicts: [], failure: undefined });
  const canRun = compiled.compilation.program !== undefined;
  const isFirst = known.of === undefined;
  useEffect(() => {
    if (!canRun) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const decide = async (): Promise<void> => {
      try {
        const body = { dot: compiled.text };
        const { properties } = await requestJson<CheckResult>('check', { method: 'POST', body, signal });
        if (!signal.aborted) setKnown({ of: compiled, verdicts: properties, failure: undefined });
      } catch (error) {
        if (!signal.aborted)
          setKnown({ of: compiled, verdicts: [], failure: failureMessage(failureOf(error)) });
      }
    };
    const timer = setTimeout(() => void decide(), isFirst ? 0 : pauseMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [compiled, canRun]);
  return known;
}
