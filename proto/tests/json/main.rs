//! JSON and YAML of pods, held against published pods, a real node and generated ones.

#![cfg(test)]

mod files;
mod forms;
mod node;
mod properties;
mod published;
mod refusals;
mod text;
mod yaml;
