/** An ES module for the library, because the build cannot list the names of a CommonJS library that is imported on demand. */
export { Busboy } from '@fastify/busboy';
