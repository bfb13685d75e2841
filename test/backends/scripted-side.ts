import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClosableBackend } from '../../src/backends/backend.js';
import {
  owedLabel,
  readVerdict,
  type VerdictReading,
  verdictCorrections,
} from '../../src/backends/verdict.js';
import type { BackendCall, BackendReply } from '../../src/handlers/codergen-backend.js';
import { failure } from '../../src/machine/outcome.js';
import type { Answer, OtherSide, Refusal, Scene, Turn } from './other-side.js';

/** What the scenes are about, without any wire or process: the contract itself is tested by it. */
export class ScriptedSide implements OtherSide {
  readonly #scenes: readonly [Scene, ...Scene[]];
  readonly #turns: Turn[] = [];
  readonly #refusals: string[] = [];
  readonly #heard: string[] = [];
  readonly #conversations = new Map<string, readonly string[]>();
  #hanging = 0;

  constructor(scenes: readonly [Scene, ...Scene[]]) {
    this.#scenes = scenes;
  }

  async backend(): Promise<ClosableBackend> {
    return { run: (_node, prompt, _context, call) => this.#run(prompt, call) };
  }

  turns(): readonly Turn[] {
    return this.#turns;
  }

  heard(): readonly string[] {
    return this.#heard;
  }

  refusals(): readonly string[] {
    return this.#refusals;
  }

  isHanging(): boolean {
    return this.#hanging > 0;
  }

  isAtWork(): boolean {
    return this.isHanging();
  }

  async #run(prompt: string, call: BackendCall): Promise<BackendReply> {
    call.checkBudget();
    const known = call.fidelity === 'full' ? call.session?.session_id : undefined;
    const id = known ?? randomUUID();
    const earlier = this.#conversations.get(id) ?? [];
    const scene = this.#scenes[Math.min(this.#turns.length, this.#scenes.length - 1)] ?? this.#scenes[0];
    this.#turns.push({ prompt, system: call.systemPrompt, earlier });
    this.#conversations.set(id, [...earlier, prompt]);
    const reply = await this.#play(scene, call);
    call.report({ kind: 'session_started', backend: 'scripted', session_id: id, includes_stage: true });
    return reply;
  }

  async #play(scene: Scene, call: BackendCall): Promise<BackendReply> {
    switch (scene.kind) {
      case 'answers':
        return this.#answer(scene, call);
      case 'cut_off':
        throw Object.assign(new Error('the answer was cut off'), { retryable: true });
      case 'refuses':
        throw httpError(scene);
      case 'hangs':
        return this.#hang(scene.text, call);
    }
  }

  async #answer(
    { text, writes, asks, usage, verdicts = [] }: Answer,
    call: BackendCall,
  ): Promise<BackendReply> {
    const whole = usage ?? { input_tokens: 1, output_tokens: 1 };
    const report = (part: { readonly input_tokens: number; readonly output_tokens: number }): void =>
      call.report({
        kind: 'model_used',
        provider: 'scripted',
        model: 'one',
        usage: { requests: 1, ...part },
      });
    if (writes !== undefined) {
      report({ ...whole, output_tokens: 0 });
      const started = performance.now();
      call.report({ kind: 'tool_call_started', call_id: '1', tool: 'write', input: { path: writes.name } });
      writeFileSync(path.join(call.workingDirectory, writes.name), writes.content);
      const duration = Math.round(performance.now() - started);
      call.report({
        kind: 'tool_call_completed',
        ...{ call_id: '1', tool: 'write', success: true, output: 'ok', duration },
      });
      call.checkBudget();
    }
    if (asks !== undefined) {
      const { value, text: words } = await call.ask({ key: 'one', type: 'FREEFORM', text: asks.question });
      this.#heard.push(words ?? value);
    }
    call.report({ kind: 'text', channel: 'response', text });
    report(writes === undefined ? whole : { ...whole, input_tokens: 0 });
    return { response: text, ...this.#verdict(verdicts, call) };
  }

  #verdict(verdicts: readonly unknown[], { routes }: BackendCall): Pick<BackendReply, 'outcome'> {
    let reading: VerdictReading | undefined;
    for (const input of verdicts.slice(0, verdictCorrections + 1)) {
      if (routes === undefined) break;
      reading = readVerdict(input, routes);
      if (reading.kind === 'outcome') return { outcome: reading.outcome };
      this.#refusals.push(reading.problem);
    }
    if (reading?.kind === 'invalid' && reading.outcome !== undefined) return { outcome: reading.outcome };
    if (reading?.kind === 'invalid') throw new Error(`no verdict that can be used: ${reading.problem}`);
    const owed = routes && owedLabel(routes, 'the script', 0);
    return owed === undefined ? {} : { outcome: failure(owed, { retryable: true }) };
  }

  async #hang(text: string, call: BackendCall): Promise<never> {
    call.report({ kind: 'text', channel: 'response', text });
    this.#hanging += 1;
    try {
      await new Promise<void>((resolve) => {
        call.signal.addEventListener('abort', () => resolve(), { once: true });
        if (call.signal.aborted) resolve();
      });
    } finally {
      this.#hanging -= 1;
    }
    call.report({ kind: 'text', channel: 'response', text: 'too late' });
    throw call.signal.reason;
  }
}

function httpError({ status, retryAfter }: Refusal): Error {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return Object.assign(new Error(`refused with ${status}`), { statusCode: status, headers });
}
