import type { JsonValue } from '../../graph/json.js';
import type { Usage } from '../../machine/usage.js';
import type { UsageTime } from '../agent-chooser.js';

/** What a line of an agent's output says, in the same words for all agents. */
export type AgentFact =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'tool_started'; readonly id: string; readonly tool: string; readonly input: JsonValue }
  | {
      readonly kind: 'tool_ended';
      readonly id: string;
      readonly success: boolean;
      readonly output: string;
      /** Where the start of the call was not told before. */
      readonly tool?: string;
      readonly input?: JsonValue;
      /** Milliseconds, where the agent says it. */
      readonly duration?: number;
    }
  /** Used since the last of these facts. */
  | { readonly kind: 'usage'; readonly model: string; readonly usage: Usage }
  /** Used in this turn as a whole, as the agent has counted it; what was told piece by piece is part of it. */
  | { readonly kind: 'turn_usage'; readonly model: string; readonly usage: Usage }
  /** Used in the whole conversation, turns of earlier processes included. */
  | { readonly kind: 'session_usage'; readonly model: string; readonly usage: Usage }
  | { readonly kind: 'session'; readonly id: string }
  /** Something went wrong that the agent may still overcome; `isWaiting` where it waits before it tries again. */
  | ({ readonly kind: 'trouble'; readonly isWaiting?: true } & AgentError)
  | AgentEnding;

/** What an agent says last; without it, it has not finished. */
export type AgentEnding =
  | { readonly kind: 'finished'; readonly text: string; readonly isCutOff?: boolean }
  | ({ readonly kind: 'failed' } & AgentError);

export interface AgentError {
  readonly message: string;
  /** Of HTTP, where the agent says it. */
  readonly status?: number;
  /** As the header has it: seconds, or a date. */
  readonly retryAfter?: string;
}

/** Reads the output of one turn of an agent, line by line; it does nothing else, so that the same lines give the same facts. */
export interface OutputReader {
  /** @param isCut whether only the beginning of a line that was far too long is there */
  line(text: string, isCut: boolean): readonly AgentFact[];
  /** What the end of the output says; the program has ended well, or not. */
  end(hasEndedWell: boolean): readonly AgentFact[];
}

/** A format in which agents write their output. */
export interface OutputFormat {
  readonly name: string;
  readonly usageTime: UsageTime;
  readonly reader: () => OutputReader;
}
