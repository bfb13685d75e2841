import { type AttributeTable, fidelityModes } from './attribute-definition.js';

/** Attributes of edges. */
export const edgeAttributes = {
  label: {
    type: 'string',
    default: '',
    doc: 'The caption; an outcome may choose the edge by it, and a human gate offers it as a choice.',
    section: '§2.7',
  },
  condition: {
    type: 'string',
    default: '',
    doc: 'Condition under which the edge may be taken; an edge without one may always be taken.',
    section: '§2.7',
  },
  weight: {
    type: 'number',
    wholeNumberExpected: true,
    lenient: true,
    default: 0,
    doc: 'Priority among eligible edges: the greatest weight is taken.',
    section: '§2.7',
  },
  fidelity: {
    type: 'string',
    default: '',
    values: fidelityModes,
    openValues: true,
    doc: "The fidelity of the target node when it is entered by this edge; overrides the node's.",
    section: '§2.7',
  },
  thread_id: {
    type: 'string',
    default: '',
    doc: 'The session of the target node when it is entered by this edge.',
    section: '§2.7',
  },
  loop_restart: {
    type: 'boolean',
    default: false,
    doc: 'If true, taking this edge restarts the run with a fresh directory and context.',
    section: '§2.7',
  },
} as const satisfies AttributeTable;
