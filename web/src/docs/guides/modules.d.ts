declare module "*/samples.md" {
  const samples: import("../../../build/guides").Samples;
  export default samples;
}

declare module "*/en.md" {
  const guides: import("../../../build/guides").Guide[];
  export default guides;
}

declare module "*/zh.md" {
  const guides: import("../../../build/guides").Guide[];
  export default guides;
}
