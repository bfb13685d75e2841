import { z } from 'zod';
import { conversationEntries } from '../../run-directory/conversation-schema.js';

/** `GET /pipelines/{id}/stages/{node}/conversation`: part of the conversation of a visit with its model or agent. */
export const conversationPageSchema = z
  .object({
    visit: z.number().int(),
    /** Lines of `conversation.jsonl` without their hashes, in their order. */
    entries: z.array(
      z.discriminatedUnion('kind', conversationEntries).meta({
        id: 'ConversationEntry',
        description: 'One line of `conversation.jsonl`, the conversation of a stage with its model or agent.',
      }),
    ),
    next: z.number().int().describe('`after` of the next page, which may not be written yet.'),
    size: z.number().int().describe('Bytes of the conversation so far.'),
    has_more: z.boolean().describe('True if the next page has entries already.'),
    damaged: z.number().int().describe('Number of lines of this page that are damaged and left out.'),
  })
  .meta({ id: 'ConversationPage' });
