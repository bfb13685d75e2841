/** Reason of an aborted `pauseSignal`, for the kind of pause. */
export interface PauseRequest {
  readonly reason: string;
  /** `after_stage` lets the running stages finish; `now` stops them, to be run again later. */
  readonly mode: 'after_stage' | 'now';
}
