import type { LanguageModel } from 'ai';
import type { NamedModel } from '../../graph/model-choice.js';
import { nameOfModel } from '../../graph/model-choice.js';
import { IdleClock } from '../idle-clock.js';
import type { AiPorts } from './ai-ports.js';
import { type ModelAddress, type ProviderReading, serverOf } from './find-provider.js';
import { languageModel } from './language-model.js';
import { describeUsageProblems, type UsageProblem } from './mend-usage.js';
import { watchedFetch } from './model-fetch.js';
import type { ModelServer } from './request-failures.js';
import type { ProviderOptions } from './request-model.js';

/** A model that can be asked. */
export interface ReadyModel {
  readonly address: ModelAddress;
  readonly server: ModelServer;
  readonly model: LanguageModel;
  readonly options: ProviderOptions;
  /** Clock for the silence of its server. */
  readonly idle: IdleClock;
}

export interface ModelLineOptions {
  readonly first: ModelAddress;
  readonly fallbacks: readonly NamedModel[];
  readonly ports: AiPorts;
  find(model: NamedModel): ProviderReading;
  optionsFor(address: ModelAddress): ProviderOptions;
  warn(message: string): void;
}

/** The models of one stage: the one that answers, and those that answer in its place (SEMANTICS 130). */
export class ModelLine {
  readonly #options: ModelLineOptions;
  readonly #rest: NamedModel[];
  #current: Promise<ReadyModel>;

  constructor(options: ModelLineOptions) {
    this.#options = options;
    this.#current = this.#ready(options.first);
    // A failure to load it is that of the first request.
    this.#current.catch(() => undefined);
    const own = nameOfModel(options.first);
    this.#rest = options.fallbacks.filter((model) => nameOfModel(model) !== own);
  }

  /** True if another model could answer. */
  get hasNext(): boolean {
    return this.#rest.some((model) => this.#options.find(model).kind === 'found');
  }

  current(): Promise<ReadyModel> {
    return this.#current;
  }

  /**
   * Lets the next usable model answer from now on; a warning says why one is passed over.
   * @returns undefined if none is left
   */
  async next(): Promise<ReadyModel | undefined> {
    for (let model = this.#rest.shift(); model !== undefined; model = this.#rest.shift()) {
      const reading = this.#options.find(model);
      if (reading.kind === 'found') {
        this.#current = this.#ready(reading.address);
        return this.#current;
      }
      this.#options.warn(`the fallback ${nameOfModel(model)} cannot be used: ${reading.problem}`);
    }
    return undefined;
  }

  async #ready(address: ModelAddress): Promise<ReadyModel> {
    const { ports, optionsFor, warn } = this.#options;
    const idle = new IdleClock(ports.sleep);
    const watch = {
      onBytes: () => idle.heard(),
      onUsageProblems: (problems: readonly UsageProblem[]) => {
        const problem = describeUsageProblems(address.provider, problems);
        if (problem !== undefined) warn(problem);
      },
    };
    const model = await languageModel(address, watchedFetch(ports.fetch, watch));
    return { address, server: serverOf(address), model, options: optionsFor(address), idle };
  }
}
