import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Witness } from '../../diagnostic/witness.js';

/** What a finding says of its proof. */
export type Proof = Pick<Diagnostic, 'witness' | 'unproved'>;

type Shown =
  | { readonly kind: 'found'; readonly witness: Witness }
  | { readonly kind: 'never' | 'unknown' }
  | undefined;

/** Proof of a claim that something happens; undefined if it never does, so that nobody may claim it. */
export function proofOf(answer: Shown): Proof | undefined {
  switch (answer?.kind) {
    case 'found':
      return { witness: answer.witness };
    case 'never':
      return undefined;
    default:
      return { unproved: true };
  }
}
