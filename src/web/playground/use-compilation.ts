import { useEffect, useRef, useState } from 'preact/hooks';
import { type Compilation, compile } from '../../compiler/compile.js';

/** A text, and what the compiler makes of it. */
export interface CompiledText {
  readonly text: string;
  readonly compilation: Compilation;
}

const shortestPauseMs = 180;
/**
 * Pause in typing before a compilation, as a multiple of its duration: so much of the time is left for the
 * keys.
 */
const pausePerCost = 3;

/**
 * The latest text that was compiled, here in the browser. The pause before it grows with what it costs, so that typing stays quick
 * also in a pipeline of thousands of stages.
 */
export function useCompilation(text: string): CompiledText {
  const cost = useRef(0);
  const [compiled, setCompiled] = useState(() => compiledIn(text, cost));
  useEffect(() => {
    if (compiled.text === text) return undefined;
    const pause = Math.max(shortestPauseMs, cost.current * pausePerCost);
    const timer = setTimeout(() => setCompiled(compiledIn(text, cost)), pause);
    return () => clearTimeout(timer);
  }, [text, compiled]);
  return compiled;
}

function compiledIn(text: string, cost: { current: number }): CompiledText {
  const started = performance.now();
  const compilation = compile(text, { name: 'pipeline.dot' });
  cost.current = performance.now() - started;
  return { text, compilation };
}

/** True for a text that can be drawn, despite errors that are not about its syntax. */
export function isReadable({ compilation: { document, diagnostics } }: CompiledText): boolean {
  const isBroken = diagnostics.some(({ rule, severity }) => rule === 'syntax' && severity === 'error');
  return document.graph !== undefined && !isBroken;
}
