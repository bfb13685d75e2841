import type { RunEvent } from '../machine/event.js';
import { addUsage, noUsage, type Usage } from '../machine/usage.js';

/** What a run has used of a model. */
export interface ModelRow {
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
}

/** What a run has used, by model, as a fold over its events (SEMANTICS §12). */
export class ModelUsage {
  readonly #rows = new Map<string, ModelRow>();

  add(event: RunEvent): void {
    if (event.type !== 'ModelUsed') return;
    const { provider, model, usage } = event;
    const key = JSON.stringify([provider, model]);
    const before = this.#rows.get(key)?.usage ?? noUsage;
    this.#rows.set(key, { provider, model, usage: addUsage(before, usage) });
  }

  get rows(): readonly ModelRow[] {
    return [...this.#rows.values()];
  }
}
