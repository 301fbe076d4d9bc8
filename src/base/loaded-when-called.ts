/** Returns a function that is loaded when it is first called. */
export function loadedWhenCalled<Given extends unknown[], Result>(
  load: () => Promise<(...given: Given) => Promise<Result>>,
): (...given: Given) => Promise<Result> {
  let work: Promise<(...given: Given) => Promise<Result>> | undefined;
  return async (...given) => {
    work ??= load();
    return await (await work)(...given);
  };
}
