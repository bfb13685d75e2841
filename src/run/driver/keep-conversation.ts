import type { Stage } from '../../handlers/handler.js';
import type { Redactor } from '../../secrets/redactor.js';
import { ConversationLog } from './conversation-log.js';
import type { DriverPorts } from './driver-ports.js';
import { type ConversationWorkspace, KeptConversation } from './visit-conversation.js';

interface ConversationHost {
  readonly ports: DriverPorts;
  flush(): void;
  keepFiles(stage: string, recordsTurns: boolean): Promise<void>;
}

interface ConversationStage extends Pick<Stage, 'node' | 'path' | 'runId' | 'visit' | 'attempt' | 'log'> {
  readonly redactor: Redactor;
  readonly isOver: boolean;
  readonly answeredRequests: number;
  flushProgress(): void;
}

/** Opens the conversation of an attempt. @param prompt the stage's own, without the history before it */
export function keepConversation(
  host: ConversationHost,
  stage: ConversationStage,
  prompt: string,
  workspace: ConversationWorkspace | undefined,
): KeptConversation {
  const { path, runId, visit, attempt, redactor, answeredRequests, log } = stage;
  const { id: nodeId } = stage.node;
  const { store, clock } = host.ports;
  const now = (): number => clock.now();
  return new KeptConversation({
    names: { runId, nodeId, visit, attempt },
    file: new ConversationLog({ path, nodeId, store: store.stages, redactor, answeredRequests, now, log }),
    workspace,
    redactor,
    prompt,
    isOver: () => stage.isOver,
    flushJournal: () => {
      stage.flushProgress();
      host.flush();
    },
    keepFile: (recordsTurns) => host.keepFiles(path, recordsTurns),
    log,
  });
}
