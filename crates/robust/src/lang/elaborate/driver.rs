//! Event instances and their causality.

use std::collections::BTreeSet;

use super::super::ast::{self, File, Item};
use super::super::error::{BAD_DRIVER, DUPLICATE_NAME};
use super::{Elaborator, Entity};
use crate::core::{Instance, InstanceId, Milestone, ProcedureId, StmtKind, for_each_stmt};

/// The largest number of instances of a driver. The reductions keep one flag for each.
const MAX_INSTANCES: usize = 64;

impl Elaborator {
    pub(super) fn driver(&mut self, file: &File) {
        let drivers: Vec<&ast::Driver> = file
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Driver(driver) => Some(driver),
                _ => None,
            })
            .collect();
        let Some((driver, more)) = drivers.split_first() else {
            return self.default_driver(file);
        };
        for other in more {
            let advice = "put all instances into one driver";
            self.error(&BAD_DRIVER, other.span, "there is a second driver", advice);
        }
        if driver.instances.is_empty() {
            let advice = "name an event instance, as in `driver { a: send; }`";
            self.error(&BAD_DRIVER, driver.span, "the driver names no event", advice);
        }
        if driver.instances.len() > MAX_INSTANCES {
            let message = format!("the driver names over {MAX_INSTANCES} instances");
            self.error(&BAD_DRIVER, driver.span, message, "check fewer events at a time");
            return;
        }
        let names: Vec<&str> = driver.instances.iter().map(|i| i.name.text.as_str()).collect();
        for (index, instance) in driver.instances.iter().enumerate() {
            if names[..index].contains(&instance.name.text.as_str()) {
                let message = format!("instance `{}` is named twice", instance.name.text);
                self.error(&DUPLICATE_NAME, instance.name.span, message, "rename one of the two");
            }
            self.instance(instance, &names);
        }
        self.reject_circular_order(driver);
    }

    fn instance(&mut self, decl: &ast::Instance, names: &[&str]) {
        let Some(entity) = self.lookup(&decl.procedure, "procedure") else { return };
        let Entity::Procedure(procedure) = entity else {
            let message = format!("`{}` is not a procedure", decl.procedure.text);
            let advice = "an event is handled by a procedure";
            return self.error(&BAD_DRIVER, decl.procedure.span, message, advice);
        };
        let params = self.program.procedure(procedure).params;
        let types: Vec<_> =
            self.program.procedure(procedure).locals[..params].iter().map(|l| l.ty).collect();
        if params != decl.args.len() {
            return self.wrong_arguments(&decl.procedure, params, decl.args.len());
        }
        let args: Vec<i64> =
            decl.args.iter().zip(types).filter_map(|(e, ty)| self.constant(e, ty)).collect();
        let mut after = Vec::new();
        for constraint in &decl.after {
            let Some(index) = names.iter().position(|name| *name == constraint.instance.text)
            else {
                let message = format!("there is no instance `{}`", constraint.instance.text);
                let advice = format!("the driver's instances are {}", names.join(", "));
                self.error(&BAD_DRIVER, constraint.instance.span, message, advice);
                continue;
            };
            let milestone = if constraint.end { Milestone::End } else { Milestone::Start };
            after.push((InstanceId::new(index), milestone));
        }
        self.program.instances.push(Instance {
            name: decl.name.text.clone(),
            procedure,
            args,
            after,
            span: decl.span,
        });
    }

    fn reject_circular_order(&mut self, driver: &ast::Driver) {
        if self.program.instances.len() != driver.instances.len() {
            return;
        }
        let mut startable: BTreeSet<usize> = BTreeSet::new();
        loop {
            let ready = self.program.instances.iter().enumerate().position(|(index, instance)| {
                !startable.contains(&index)
                    && instance.after.iter().all(|(other, _)| startable.contains(&other.index()))
            });
            match ready {
                Some(index) => startable.insert(index),
                None => break,
            };
        }
        if let Some(decl) =
            driver.instances.iter().enumerate().find(|(index, _)| !startable.contains(index))
        {
            let message = format!("`{}` waits for itself and never starts", decl.1.name.text);
            self.error(&BAD_DRIVER, decl.1.span, message, "break the circle of `after`");
        }
    }

    /// Adds one instance of every procedure that is never posted or called and takes no arguments.
    fn default_driver(&mut self, file: &File) {
        let mut used: BTreeSet<ProcedureId> = BTreeSet::new();
        for procedure in &self.program.procedures {
            for_each_stmt(&procedure.body, &mut |stmt| {
                if let StmtKind::Async(_, id, _) | StmtKind::Call(id, _) = &stmt.kind {
                    used.insert(*id);
                }
            });
        }
        for (index, procedure) in self.program.procedures.iter().enumerate() {
            let id = ProcedureId::new(index);
            if procedure.params == 0 && !used.contains(&id) {
                self.program.instances.push(Instance {
                    name: procedure.name.clone(),
                    procedure: id,
                    args: Vec::new(),
                    after: Vec::new(),
                    span: procedure.span,
                });
            }
        }
        if self.program.instances.is_empty() {
            let message = "there is no event: every procedure is posted, called or has parameters";
            let advice = "add a driver, as in `driver { a: send; }`";
            self.error(&BAD_DRIVER, file.span, message, advice);
        }
    }
}
