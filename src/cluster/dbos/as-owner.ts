import { messageOf } from '../../handlers/error-category.js';
import { UsageError } from '../../setup/usage-error.js';

/**
 * Performs what only the owner of the database may do.
 * @param what as a verb, such as `migrate`
 * @throws UsageError if the connection has not the right
 */
export async function asOwner<Result>(what: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (codeOf(error) !== insufficientPrivilege) throw error;
    throw new UsageError(`${messageOf(error)}; ${what} as the owner of the database`);
  }
}

/** SQLSTATE of an error. */
export function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string }).code;
}

export const insufficientPrivilege = '42501';
