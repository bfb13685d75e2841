import type { BackendCall } from '../../../handlers/codergen-backend.js';
import {
  answerInWords,
  askPersonDescription,
  askPersonInput,
  askPersonTool,
  personQuestion,
} from '../../ask-person.js';
import type { TurnRecord } from '../turn-record.js';
import { type AgentTool, agentTool } from './agent-tool.js';

/**
 * Tool with which a model asks a person (SEMANTICS 129). A call that was interrupted is made again: its question has the same
 * key then, so that an answer that was given meanwhile is not asked for again.
 */
export function askPerson(call: Pick<BackendCall, 'ask'>, record: TurnRecord): AgentTool {
  let asked = record.successesOf(askPersonTool);
  return agentTool({
    name: askPersonTool,
    isReadOnly: true,
    description: askPersonDescription,
    input: askPersonInput,
    async run(input) {
      asked += 1;
      return answerInWords(await call.ask(personQuestion(input, `ask${asked}`)));
    },
  });
}
