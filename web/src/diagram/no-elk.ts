/** Stands for elkjs, a layout of diagrams that is larger than the rest of the client. Diagrams use dagre instead. */
export default class {
  constructor() {
    throw new Error("the layout elk is not included");
  }
}
