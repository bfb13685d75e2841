/** Error that the pipeline could not be drawn; the message has the cause and the remedy. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
}
