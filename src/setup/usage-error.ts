/** A call that cannot be carried out, told to the person who made it; ends the command with exit status 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
