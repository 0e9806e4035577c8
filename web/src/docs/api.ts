/** An error of the API. */
export class CallError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Calls an operation to prepare a request. A body that is a form is sent as it is. */
export async function call<T>(
  method: string,
  path: string,
  token: string | null,
  body?: Record<string, unknown> | FormData,
): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: token ? { Authorization: `Bearer ${token}` } : {},
    body: body instanceof FormData ? body : body && JSON.stringify(body),
  });
  const envelope = (await response.json()) as { error: number; message: string; body: T };
  if (envelope.error !== 0) throw new CallError(envelope.error, envelope.message);
  return envelope.body;
}
