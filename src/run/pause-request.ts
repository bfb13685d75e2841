/** Given as the reason of an aborted `pauseSignal`, to say how the run is to pause. */
export interface PauseRequest {
  readonly reason: string;
  /** `after_stage` lets the running stages finish; `now` stops them, to be run again later. */
  readonly mode: 'after_stage' | 'now';
}
