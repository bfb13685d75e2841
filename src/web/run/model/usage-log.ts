import type { RunEvent } from '../../../machine/event.js';
import { addUsage, noUsage, type Usage } from '../../../machine/usage.js';
import { UsageDigest } from '../../../view/usage-digest.js';

/** What a run has used of models, by stage and by model, as a fold over its events (SEMANTICS §12). */
export class UsageLog extends UsageDigest {
  /** By `provider/model`. */
  readonly byModel = new Map<string, Usage>();

  override add(event: RunEvent): void {
    super.add(event);
    if (event.type !== 'ModelUsed') return;
    const model = nameOfModel(event);
    this.byModel.set(model, addUsage(this.byModel.get(model) ?? noUsage, event.usage));
  }
}

function nameOfModel({ provider, model }: { readonly provider: string; readonly model: string }): string {
  if (provider === '' && model === '') return 'not named';
  return provider === '' ? model : `${provider}/${model}`;
}
