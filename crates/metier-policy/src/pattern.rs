mod path;
/// x
#[derive(Clone,Copy,Debug,PartialEq,Eq)]
pub(crate) enum Strictness { Surely, Possibly }
