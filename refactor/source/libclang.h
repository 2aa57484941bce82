/* libclang, loaded when the first source is read: it and LLVM take a tenth of a second of the
 * dynamic linker's work, which commands that read no source, and workers, do without. */
#ifndef HT_REFACTOR_LIBCLANG_H
#define HT_REFACTOR_LIBCLANG_H

#include "base/error.h"

#include <clang-c/Index.h>

/* All functions of it that are called here: they have their own names. */
#define HT_LIBCLANG_FUNCTIONS(X)                                                                   \
    X(clang_CXXConstructor_isCopyConstructor)                                                      \
    X(clang_CXXConstructor_isDefaultConstructor)                                                   \
    X(clang_CXXConstructor_isMoveConstructor)                                                      \
    X(clang_CXXMethod_isConst)                                                                     \
    X(clang_CXXMethod_isDefaulted)                                                                 \
    X(clang_CXXMethod_isStatic)                                                                    \
    X(clang_getTemplateCursorKind)                                                                 \
    X(clang_CXXMethod_isVirtual)                                                                   \
    X(clang_Cursor_Evaluate)                                                                       \
    X(clang_Cursor_getArgument)                                                                    \
    X(clang_Cursor_getMangling)                                                                    \
    X(clang_Cursor_getNumArguments)                                                                \
    X(clang_Cursor_getNumTemplateArguments)                                                        \
    X(clang_Cursor_getOffsetOfField)                                                               \
    X(clang_Cursor_getStorageClass)                                                                \
    X(clang_Cursor_getTemplateArgumentKind)                                                        \
    X(clang_Cursor_getTemplateArgumentType)                                                        \
    X(clang_Cursor_getTemplateArgumentValue)                                                       \
    X(clang_Cursor_getTranslationUnit)                                                             \
    X(clang_Cursor_getVarDeclInitializer)                                                          \
    X(clang_Cursor_isAnonymous)                                                                    \
    X(clang_Cursor_isBitField)                                                                     \
    X(clang_Cursor_isInlineNamespace)                                                              \
    X(clang_Cursor_isMacroFunctionLike)                                                            \
    X(clang_Cursor_isNull)                                                                         \
    X(clang_EnumDecl_isScoped)                                                                     \
    X(clang_EvalResult_dispose)                                                                    \
    X(clang_EvalResult_getAsDouble)                                                                \
    X(clang_EvalResult_getAsLongLong)                                                              \
    X(clang_EvalResult_getKind)                                                                    \
    X(clang_File_isEqual)                                                                          \
    X(clang_Location_isInSystemHeader)                                                             \
    X(clang_Type_getSizeOf)                                                                        \
    X(clang_Type_visitFields)                                                                      \
    X(clang_createIndex)                                                                           \
    X(clang_disposeDiagnostic)                                                                     \
    X(clang_disposeIndex)                                                                          \
    X(clang_disposeSourceRangeList)                                                                \
    X(clang_disposeString)                                                                         \
    X(clang_disposeTranslationUnit)                                                                \
    X(clang_equalCursors)                                                                          \
    X(clang_equalLocations)                                                                        \
    X(clang_equalTypes)                                                                            \
    X(clang_getArgType)                                                                            \
    X(clang_getArrayElementType)                                                                   \
    X(clang_getArraySize)                                                                          \
    X(clang_getCString)                                                                            \
    X(clang_getCXXAccessSpecifier)                                                                 \
    X(clang_getCanonicalCursor)                                                                    \
    X(clang_getCanonicalType)                                                                      \
    X(clang_getClangVersion)                                                                       \
    X(clang_getCursor)                                                                             \
    X(clang_getCursorBinaryOperatorKind)                                                           \
    X(clang_getCursorDefinition)                                                                   \
    X(clang_getCursorExtent)                                                                       \
    X(clang_getCursorKind)                                                                         \
    X(clang_getCursorLexicalParent)                                                                \
    X(clang_getCursorLinkage)                                                                      \
    X(clang_getCursorLocation)                                                                     \
    X(clang_getCursorReferenced)                                                                   \
    X(clang_getCursorSemanticParent)                                                               \
    X(clang_getCursorSpelling)                                                                     \
    X(clang_getCursorType)                                                                         \
    X(clang_getCursorUnaryOperatorKind)                                                            \
    X(clang_getDiagnostic)                                                                         \
    X(clang_getDiagnosticLocation)                                                                 \
    X(clang_getDiagnosticSeverity)                                                                 \
    X(clang_getDiagnosticSpelling)                                                                 \
    X(clang_getEnumConstantDeclValue)                                                              \
    X(clang_getEnumDeclIntegerType)                                                                \
    X(clang_getExpansionLocation)                                                                  \
    X(clang_getFile)                                                                               \
    X(clang_getFileContents)                                                                       \
    X(clang_getFileLocation)                                                                       \
    X(clang_getFileName)                                                                           \
    X(clang_getInclusions)                                                                         \
    X(clang_getLocationForOffset)                                                                  \
    X(clang_getNonReferenceType)                                                                   \
    X(clang_getNullCursor)                                                                         \
    X(clang_getNumArgTypes)                                                                        \
    X(clang_getNumDiagnostics)                                                                     \
    X(clang_getNumOverloadedDecls)                                                                 \
    X(clang_getOverloadedDecl)                                                                     \
    X(clang_getPointeeType)                                                                        \
    X(clang_getPresumedLocation)                                                                   \
    X(clang_getRangeEnd)                                                                           \
    X(clang_getRangeStart)                                                                         \
    X(clang_getSkippedRanges)                                                                      \
    X(clang_getSpecializedCursorTemplate)                                                          \
    X(clang_getSpellingLocation)                                                                   \
    X(clang_getTranslationUnitCursor)                                                              \
    X(clang_getTypeDeclaration)                                                                    \
    X(clang_getTypeSpelling)                                                                       \
    X(clang_getTypedefDeclUnderlyingType)                                                          \
    X(clang_getUnqualifiedType)                                                                    \
    X(clang_isConstQualifiedType)                                                                  \
    X(clang_isCursorDefinition)                                                                    \
    X(clang_isDeclaration)                                                                         \
    X(clang_isExpression)                                                                          \
    X(clang_isInvalid)                                                                             \
    X(clang_isInvalidDeclaration)                                                                  \
    X(clang_isReference)                                                                           \
    X(clang_isRestrictQualifiedType)                                                               \
    X(clang_isStatement)                                                                           \
    X(clang_isVolatileQualifiedType)                                                               \
    X(clang_parseTranslationUnit2)                                                                 \
    X(clang_saveTranslationUnit)                                                                   \
    X(clang_visitChildren)

typedef struct ht_libclang_functions {
#define HT_LIBCLANG_MEMBER(name) __typeof__(name) *name;
    HT_LIBCLANG_FUNCTIONS(HT_LIBCLANG_MEMBER)
#undef HT_LIBCLANG_MEMBER
} ht_libclang_functions;

/* Valid after ht_libclang_load. */
extern ht_libclang_functions ht_libclang;

/* Loads it unless it is. Call it before there are threads that call it, and before a fork whose
 * children read sources. HT_ERROR_MISSING: it is not installed. */
ht_status ht_libclang_load(ht_error *error);

#define clang_CXXConstructor_isCopyConstructor ht_libclang.clang_CXXConstructor_isCopyConstructor
#define clang_CXXConstructor_isDefaultConstructor                                                  \
    ht_libclang.clang_CXXConstructor_isDefaultConstructor
#define clang_CXXConstructor_isMoveConstructor ht_libclang.clang_CXXConstructor_isMoveConstructor
#define clang_CXXMethod_isConst ht_libclang.clang_CXXMethod_isConst
#define clang_CXXMethod_isDefaulted ht_libclang.clang_CXXMethod_isDefaulted
#define clang_CXXMethod_isStatic ht_libclang.clang_CXXMethod_isStatic
#define clang_getTemplateCursorKind ht_libclang.clang_getTemplateCursorKind
#define clang_CXXMethod_isVirtual ht_libclang.clang_CXXMethod_isVirtual
#define clang_Cursor_Evaluate ht_libclang.clang_Cursor_Evaluate
#define clang_Cursor_getArgument ht_libclang.clang_Cursor_getArgument
#define clang_Cursor_getMangling ht_libclang.clang_Cursor_getMangling
#define clang_Cursor_getNumArguments ht_libclang.clang_Cursor_getNumArguments
#define clang_Cursor_getNumTemplateArguments ht_libclang.clang_Cursor_getNumTemplateArguments
#define clang_Cursor_getOffsetOfField ht_libclang.clang_Cursor_getOffsetOfField
#define clang_Cursor_getStorageClass ht_libclang.clang_Cursor_getStorageClass
#define clang_Cursor_getTemplateArgumentKind ht_libclang.clang_Cursor_getTemplateArgumentKind
#define clang_Cursor_getTemplateArgumentType ht_libclang.clang_Cursor_getTemplateArgumentType
#define clang_Cursor_getTemplateArgumentValue ht_libclang.clang_Cursor_getTemplateArgumentValue
#define clang_Cursor_getTranslationUnit ht_libclang.clang_Cursor_getTranslationUnit
#define clang_Cursor_getVarDeclInitializer ht_libclang.clang_Cursor_getVarDeclInitializer
#define clang_Cursor_isAnonymous ht_libclang.clang_Cursor_isAnonymous
#define clang_Cursor_isBitField ht_libclang.clang_Cursor_isBitField
#define clang_Cursor_isInlineNamespace ht_libclang.clang_Cursor_isInlineNamespace
#define clang_Cursor_isMacroFunctionLike ht_libclang.clang_Cursor_isMacroFunctionLike
#define clang_Cursor_isNull ht_libclang.clang_Cursor_isNull
#define clang_EnumDecl_isScoped ht_libclang.clang_EnumDecl_isScoped
#define clang_EvalResult_dispose ht_libclang.clang_EvalResult_dispose
#define clang_EvalResult_getAsDouble ht_libclang.clang_EvalResult_getAsDouble
#define clang_EvalResult_getAsLongLong ht_libclang.clang_EvalResult_getAsLongLong
#define clang_EvalResult_getKind ht_libclang.clang_EvalResult_getKind
#define clang_File_isEqual ht_libclang.clang_File_isEqual
#define clang_Location_isInSystemHeader ht_libclang.clang_Location_isInSystemHeader
#define clang_Type_getSizeOf ht_libclang.clang_Type_getSizeOf
#define clang_Type_visitFields ht_libclang.clang_Type_visitFields
#define clang_createIndex ht_libclang.clang_createIndex
#define clang_disposeDiagnostic ht_libclang.clang_disposeDiagnostic
#define clang_disposeIndex ht_libclang.clang_disposeIndex
#define clang_disposeSourceRangeList ht_libclang.clang_disposeSourceRangeList
#define clang_disposeString ht_libclang.clang_disposeString
#define clang_disposeTranslationUnit ht_libclang.clang_disposeTranslationUnit
#define clang_equalCursors ht_libclang.clang_equalCursors
#define clang_equalLocations ht_libclang.clang_equalLocations
#define clang_equalTypes ht_libclang.clang_equalTypes
#define clang_getArgType ht_libclang.clang_getArgType
#define clang_getArrayElementType ht_libclang.clang_getArrayElementType
#define clang_getArraySize ht_libclang.clang_getArraySize
#define clang_getCString ht_libclang.clang_getCString
#define clang_getCXXAccessSpecifier ht_libclang.clang_getCXXAccessSpecifier
#define clang_getCanonicalCursor ht_libclang.clang_getCanonicalCursor
#define clang_getCanonicalType ht_libclang.clang_getCanonicalType
#define clang_getClangVersion ht_libclang.clang_getClangVersion
#define clang_getCursor ht_libclang.clang_getCursor
#define clang_getCursorBinaryOperatorKind ht_libclang.clang_getCursorBinaryOperatorKind
#define clang_getCursorDefinition ht_libclang.clang_getCursorDefinition
#define clang_getCursorExtent ht_libclang.clang_getCursorExtent
#define clang_getCursorKind ht_libclang.clang_getCursorKind
#define clang_getCursorLexicalParent ht_libclang.clang_getCursorLexicalParent
#define clang_getCursorLinkage ht_libclang.clang_getCursorLinkage
#define clang_getCursorLocation ht_libclang.clang_getCursorLocation
#define clang_getCursorReferenced ht_libclang.clang_getCursorReferenced
#define clang_getCursorSemanticParent ht_libclang.clang_getCursorSemanticParent
#define clang_getCursorSpelling ht_libclang.clang_getCursorSpelling
#define clang_getCursorType ht_libclang.clang_getCursorType
#define clang_getCursorUnaryOperatorKind ht_libclang.clang_getCursorUnaryOperatorKind
#define clang_getDiagnostic ht_libclang.clang_getDiagnostic
#define clang_getDiagnosticLocation ht_libclang.clang_getDiagnosticLocation
#define clang_getDiagnosticSeverity ht_libclang.clang_getDiagnosticSeverity
#define clang_getDiagnosticSpelling ht_libclang.clang_getDiagnosticSpelling
#define clang_getEnumConstantDeclValue ht_libclang.clang_getEnumConstantDeclValue
#define clang_getEnumDeclIntegerType ht_libclang.clang_getEnumDeclIntegerType
#define clang_getExpansionLocation ht_libclang.clang_getExpansionLocation
#define clang_getFile ht_libclang.clang_getFile
#define clang_getFileContents ht_libclang.clang_getFileContents
#define clang_getFileLocation ht_libclang.clang_getFileLocation
#define clang_getFileName ht_libclang.clang_getFileName
#define clang_getInclusions ht_libclang.clang_getInclusions
#define clang_getLocationForOffset ht_libclang.clang_getLocationForOffset
#define clang_getNonReferenceType ht_libclang.clang_getNonReferenceType
#define clang_getNullCursor ht_libclang.clang_getNullCursor
#define clang_getNumArgTypes ht_libclang.clang_getNumArgTypes
#define clang_getNumDiagnostics ht_libclang.clang_getNumDiagnostics
#define clang_getNumOverloadedDecls ht_libclang.clang_getNumOverloadedDecls
#define clang_getOverloadedDecl ht_libclang.clang_getOverloadedDecl
#define clang_getPointeeType ht_libclang.clang_getPointeeType
#define clang_getPresumedLocation ht_libclang.clang_getPresumedLocation
#define clang_getRangeEnd ht_libclang.clang_getRangeEnd
#define clang_getRangeStart ht_libclang.clang_getRangeStart
#define clang_getSkippedRanges ht_libclang.clang_getSkippedRanges
#define clang_getSpecializedCursorTemplate ht_libclang.clang_getSpecializedCursorTemplate
#define clang_getSpellingLocation ht_libclang.clang_getSpellingLocation
#define clang_getTranslationUnitCursor ht_libclang.clang_getTranslationUnitCursor
#define clang_getTypeDeclaration ht_libclang.clang_getTypeDeclaration
#define clang_getTypeSpelling ht_libclang.clang_getTypeSpelling
#define clang_getTypedefDeclUnderlyingType ht_libclang.clang_getTypedefDeclUnderlyingType
#define clang_getUnqualifiedType ht_libclang.clang_getUnqualifiedType
#define clang_isConstQualifiedType ht_libclang.clang_isConstQualifiedType
#define clang_isCursorDefinition ht_libclang.clang_isCursorDefinition
#define clang_isDeclaration ht_libclang.clang_isDeclaration
#define clang_isExpression ht_libclang.clang_isExpression
#define clang_isInvalid ht_libclang.clang_isInvalid
#define clang_isInvalidDeclaration ht_libclang.clang_isInvalidDeclaration
#define clang_isReference ht_libclang.clang_isReference
#define clang_isRestrictQualifiedType ht_libclang.clang_isRestrictQualifiedType
#define clang_isStatement ht_libclang.clang_isStatement
#define clang_isVolatileQualifiedType ht_libclang.clang_isVolatileQualifiedType
#define clang_parseTranslationUnit2 ht_libclang.clang_parseTranslationUnit2
#define clang_saveTranslationUnit ht_libclang.clang_saveTranslationUnit
#define clang_visitChildren ht_libclang.clang_visitChildren

#endif
