import type { BackendCall } from '../../handlers/codergen-backend.js';
import type { Usage } from '../../machine/usage.js';
import type { Patience } from './ask-until-answered.js';
import type { ModelAddress } from './find-provider.js';
import type { ModelLine } from './model-line.js';
import type { OpenConversation } from './open-conversation.js';
import type { StageDialogue } from './stage-dialogue.js';
import type { Situation } from './system-prompt.js';
import type { AgentTool } from './tools/agent-tool.js';
import type { TurnRecord } from './turn-record.js';

/** Options of a conversation about one stage. */
export interface Talk {
  readonly line: ModelLine;
  readonly patience: Patience;
  readonly call: BackendCall;
  readonly prompt: string;
  readonly tools: readonly AgentTool[];
  readonly situation: Situation;
  readonly session: OpenConversation | undefined;
  readonly dialogue: StageDialogue;
  readonly record: TurnRecord;
  readonly maxRequests: number;
  readonly maxOutputTokens: number | undefined;
  warn(message: string): void;
}

/** Reports the usage of a request. @param reported undefined if the provider does not report it */
export function tellUsage(
  { call, warn }: Pick<Talk, 'call' | 'warn'>,
  { provider, model }: ModelAddress,
  reported: Usage | undefined,
): void {
  if (reported === undefined) {
    warn(`${provider} does not say how many tokens it used, so budgets do not count them`);
  }
  const usage = reported ?? { requests: 1, input_tokens: 0, output_tokens: 0 };
  call.report({ kind: 'model_used', provider, model, usage });
}
