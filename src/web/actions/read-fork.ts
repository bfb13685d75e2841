import type { ForkRequest } from '../../server/api/run.js';

interface ForkFields {
  readonly point: 'end' | 'node' | 'step';
  readonly node: string;
  readonly step: string;
  readonly resume: boolean;
}

/** Request from the fields, or a message about a missing one. */
export function readFork({
  point,
  node,
  step,
  resume,
}: ForkFields): { readonly fork: ForkRequest } | { readonly problem: string } {
  switch (point) {
    case 'end':
      return { fork: { resume } };
    case 'node':
      return node === '' ? { problem: 'Choose the node.' } : { fork: { at: node, resume } };
    case 'step':
      return /^\d{1,9}$/.test(step.trim())
        ? { fork: { step: Number(step.trim()), resume } }
        : { problem: `The number of steps must be a whole number; found “${step.trim()}”.` };
  }
}
