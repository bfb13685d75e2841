/**
 * Error of a call that cannot be carried out, in words for its author; ends the command with exit status 2.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
