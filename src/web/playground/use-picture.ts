import { useEffect, useState } from 'preact/hooks';
import type { Graph } from '../../graph/graph.js';
import { type Failure, failureOf } from '../api/failure.js';
import { request } from '../api/request.js';
import type { CompiledText } from './use-compilation.js';

/** A picture as the server drew it, of a text. */
export interface Picture {
  readonly text: string;
  /** Graph of that text. */
  readonly graph: Graph;
  readonly svg: string;
}

export interface DrawnText {
  /** The last one that could be drawn; it stays while the text is broken. */
  readonly picture: Picture | undefined;
  /** Reason why the latest text has no picture. */
  readonly failure: Failure | undefined;
}

const pauseMs = 350;

/**
 * Picture of a text, drawn after a pause in typing.
 * @param isReadable false for a broken text, which is not sent
 */
export function usePicture({ text, compilation }: CompiledText, isReadable: boolean): DrawnText {
  const { graph } = compilation;
  const [drawn, setDrawn] = useState<DrawnText>({ picture: undefined, failure: undefined });
  const isFirst = drawn.picture === undefined;
  const isThere = drawn.picture?.text === text;
  useEffect(() => {
    if (!isReadable || isThere) return undefined;
    const leaving = new AbortController();
    const draw = async (): Promise<void> => {
      try {
        const { signal } = leaving;
        const response = await request('render?theme=auto', { method: 'POST', body: { dot: text }, signal });
        const svg = await response.text();
        if (!leaving.signal.aborted) setDrawn({ picture: { text, graph, svg }, failure: undefined });
      } catch (error) {
        if (leaving.signal.aborted) return;
        const failure = failureOf(error);
        setDrawn(({ picture }) => ({ picture, failure }));
      }
    };
    const timer = setTimeout(draw, isFirst ? 0 : pauseMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text, isReadable, isThere]);
  return drawn;
}
