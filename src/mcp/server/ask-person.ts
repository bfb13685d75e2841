import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js';
import { typedAnswer } from '../../run/questions/match-answer.js';
import type { OpenQuestionJson } from '../../server/api/question.js';
import type { AskPerson } from './session-runs.js';

/** Milliseconds that a person has: a day. The question stays open after that. */
const longestMs = 86_400_000;

type Form = ElicitRequestFormParams['requestedSchema'];

/** Asks a person by a form of the client (`elicitation/create`); undefined if it has none. */
export function askPersonOf({ server }: McpServer): AskPerson | undefined {
  if (server.getClientCapabilities()?.elicitation === undefined) return undefined;
  return async (question, signal) => {
    const message = question.details === null ? question.text : `${question.text}\n\n${question.details}`;
    const request = { mode: 'form', message, requestedSchema: formOf(question) } as const;
    const { action, content = {} } = await server.elicitInput(request, { signal, timeout: longestMs });
    if (action !== 'accept') return undefined;
    const choice = Array.isArray(content.answer) ? content.answer.join(', ') : String(content.answer ?? '');
    return typedAnswer(
      choice,
      typeof content.text === 'string' && content.text !== '' ? content.text : undefined,
    );
  };
}

function formOf({ text, options, words, multi_select: severally, type }: OpenQuestionJson): Form {
  const keys = options.map(({ key }) => key);
  const labels = options.map(({ label }) => label);
  const named = new Set(labels).size === labels.length ? labels : keys;
  const answer: Form['properties'][string] =
    named.length === 0
      ? { type: 'string', title: type === 'FREEFORM' ? 'Answer' : 'Y or N', description: text }
      : severally
        ? { type: 'array', title: 'Choices', items: { type: 'string', enum: [...named] } }
        : { type: 'string', title: 'Choice', enum: [...named] };
  if (words === null) return { type: 'object', properties: { answer }, required: ['answer'] };
  return {
    type: 'object',
    properties: { answer, text: { type: 'string', title: 'Text' } },
    required: words === 'required' ? ['answer', 'text'] : ['answer'],
  };
}
