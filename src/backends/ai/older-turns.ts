import type { ModelMessage } from 'ai';
import { withoutMiddle } from '../left-out.js';
import type { StageMessages } from './stage-messages.js';

/** Part of a conversation that a summary is to replace (SEMANTICS 125). */
export interface OlderTurns {
  /** Number of turns of the stage in it, besides all turns of earlier stages. */
  readonly turns: number;
  /** Number of replies in it, those of earlier stages included. */
  readonly replies: number;
  /** Its text, for a request that fits. */
  readonly transcript: string;
}

/** Share of what fits into the window for the text of the older turns; instructions and the summary need the rest. */
const shareForTranscript = 0.6;

/**
 * The older turns of a conversation: all but the newest, which fill at most half of the room that the prompt leaves.
 * @param share of the conversation that fits into the window
 * @returns undefined if there are none, or if the prompt alone fills the window
 */
export function olderTurns(messages: StageMessages, share: number): OlderTurns | undefined {
  const { history, prompt, turns } = messages;
  const sizes = turns.map(sizeOf);
  const own = sizeOf([prompt]);
  const fits = share * (sizeOf(history) + own + sizes.reduce((sum, size) => sum + size, 0));
  const room = (fits - own) / 2;
  const replaced = turns.length - newest(sizes, room);
  const older = [...history, prompt, ...turns.slice(0, replaced).flat()];
  if (room <= 0 || older.length === 1) return undefined;
  return {
    turns: replaced,
    replies: older.filter(({ role }) => role === 'assistant').length,
    transcript: transcriptOf(older, Math.floor(fits * shareForTranscript)),
  };
}

/** Number of turns at the end that have room together. */
function newest(sizes: readonly number[], room: number): number {
  let left = room;
  const first = sizes.findLastIndex((size) => {
    left -= size;
    return left < 0;
  });
  return sizes.length - 1 - first;
}

/** Size in characters, which is to tokens as that of any other part of the same conversation. */
function sizeOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
}

/** Limits of a part, of which the first is used with which the whole is short enough. */
const partLengths = [50_000, 20_000, 8000, 3000, 1000, 300] as const;

function transcriptOf(messages: readonly ModelMessage[], longest: number): string {
  let text = '';
  for (const length of partLengths) {
    text = messages.flatMap((message) => linesOf(message, length)).join('\n\n');
    if (text.length <= longest) return text;
  }
  return withoutMiddle(text, longest);
}

function linesOf({ role, content }: ModelMessage, longest: number): readonly string[] {
  const who = role === 'user' ? 'TASK OR REQUEST' : 'YOU';
  const part = (title: string, text: string): string => `[${title}]\n${withoutMiddle(text, longest)}`;
  if (typeof content === 'string') return content === '' ? [] : [part(who, content)];
  return content.flatMap((one) => {
    switch (one.type) {
      case 'text':
        return one.text === '' ? [] : [part(who, one.text)];
      case 'tool-call':
        return [part(`YOU CALL ${one.toolName}`, JSON.stringify(one.input ?? null))];
      case 'tool-result':
        return [part(`RESULT OF ${one.toolName}`, resultText(one.output))];
      default:
        return [];
    }
  });
}

function resultText(output: { readonly type: string; readonly value?: unknown }): string {
  return typeof output.value === 'string' ? output.value : JSON.stringify(output);
}
